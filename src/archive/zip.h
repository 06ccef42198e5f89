// Zip archives, as PyTorch (stored files) and NumPy (also deflated ones) write them.
#ifndef ARCHIVE_ZIP_H
#define ARCHIVE_ZIP_H

#include <stdint.h>

#include "util/scan.h"

struct zip_entry {
    struct span name, content; // the bytes in the archive
    size_t size;               // of the file, once it is unpacked
    bool deflated;
    uint32_t crc;
    size_t begin; // offset of its local header in the archive
};

bool zip_begins(const char *data, size_t size);

// Returns all entries in the order of their offsets (stb_ds array, the caller frees it). DATA must outlive them. They
// lie within the archive and do not overlap.
bool zip_parse(const char *data, size_t size, struct zip_entry **entries);

// Checks the entry's checksum.
bool zip_check(const struct zip_entry *entry);

// The entry's file, at most LIMIT bytes, in memory that the caller frees; its checksum is right.
bool zip_unpack(const struct zip_entry *entry, size_t limit, char **data);

#endif
