// Whole files: read with a limit, written so that a reader sees the old file or the new one and never half of one.
#ifndef UTIL_FILE_H
#define UTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>

// Reads PATH ("-" is standard input) into memory the caller frees; a zero byte follows the data. Fails with FAULT_INPUT
// when the file cannot be read or is longer than LIMIT bytes.
bool file_read(const char *path, size_t limit, char **data, size_t *size);

// Writes to a temporary name in the same folder, syncs it and renames it to PATH ("-" is standard output).
bool file_write(const char *path, const void *data, size_t size);

// Creates the folder and its parents.
bool file_make_folder(const char *path);

#endif
