// Zip archives in memory, as PyTorch and NumPy read them.
#ifndef ARCHIVE_ZIP_WRITE_H
#define ARCHIVE_ZIP_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"

struct zip_writer {
    struct text file, directory;
    uint32_t count;
};

// Adds a file; with `compress` deflated where that makes it smaller, else stored.
void zip_write_add(struct zip_writer *zip, const char *name, const void *data, size_t size, bool compress);

// Completes the archive: zip->file has all its bytes. Fails where it is too large for the format.
bool zip_write_end(struct zip_writer *zip);
void zip_write_finish(struct zip_writer *zip); // also of a zeroed one

#endif
