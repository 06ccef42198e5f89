// Zip archives of stored (not compressed) files, as PyTorch writes them.
#ifndef CHECKPOINT_ZIP_H
#define CHECKPOINT_ZIP_H

#include <stdint.h>

#include "util/scan.h"

struct zip_entry {
    struct span name, content;
    uint32_t crc;
    size_t begin; // of its local header in the archive
};

bool zip_begins(const char *data, size_t size);

// All entries in the order of their places (stb_ds array, the caller frees it). DATA must outlive them. They lie within
// the archive and do not overlap.
bool zip_parse(const char *data, size_t size, struct zip_entry **entries);

// The entry's bytes are those that were stored.
bool zip_check(const struct zip_entry *entry);

#endif
