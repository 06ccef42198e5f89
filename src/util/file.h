// Whole files: reads them with a size limit, and writes them so that a reader sees either the old file or the new one.
#ifndef UTIL_FILE_H
#define UTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>

// Reads PATH ("-" is standard input) into memory that the caller frees; a zero byte follows the data. Fails with
// FAULT_INPUT when the file cannot be read or is larger than LIMIT bytes.
bool file_read(const char *path, size_t limit, char **data, size_t *size);

// Writes to a temporary name in the same folder, syncs it and renames it to PATH ("-" is standard output). The new file
// has the permissions of the old one. A symbolic link is followed and its target replaced. Devices, pipes and open
// files (/dev/stdout, /proc/self/fd/3) are written directly. A file that is writable but cannot be replaced, because
// its folder is read-only or it is a mount point, is written in place.
bool file_write(const char *path, const void *data, size_t size);

// The same in pieces, for data too large to hold in memory. A target that can be replaced is untouched until
// file_out_close succeeds. file_out_abandon removes the temporary; it accepts a closed or zeroed struct.
struct file_out {
    int fd;
    bool open, whole;                // whole: the old contents remain until the first byte is written
    char *path, *target, *temporary; // path as given; path after links; NULL: written in place
};

bool file_out_open(struct file_out *out, const char *path);
bool file_out_open_growing(struct file_out *out, const char *path); // readers see PATH grow; a killed writer leaves it
bool file_out_add(struct file_out *out, const void *data, size_t size);
bool file_out_close(struct file_out *out);
void file_out_abandon(struct file_out *out);

// Removes all unfinished temporary files. Safe in signal handlers that end the process.
void file_remove_temporaries(void);

// Removes temporary files that killed writers of PATH left behind. No writer of PATH may be active.
void file_sweep(const char *path);

// Returns whether PATH can be written now, so that long work does not fail at its end. Changes nothing.
bool file_can_write(const char *path);

// Writes all data to an open file. On failure errno says why; a part may be written.
bool file_add(int fd, const void *data, size_t size);

// Returns the name of the file for messages.
const char *file_shown(const char *path);

// Creates the folder and its parents.
bool file_make_folder(const char *path);

#endif
