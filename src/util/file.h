// Whole files: read with a limit, written so that a reader sees the old file or the new one and never half of one.
#ifndef UTIL_FILE_H
#define UTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>

// Reads PATH ("-" is standard input) into memory the caller frees; a zero byte follows the data. Fails with FAULT_INPUT
// when the file cannot be read or is longer than LIMIT bytes.
bool file_read(const char *path, size_t limit, char **data, size_t *size);

// Writes to a temporary name in the same folder, syncs it and renames it to PATH ("-" is standard output). The new file
// has the permissions of the old one. A symbolic link stays one, and what it leads to is replaced; devices, pipes and
// open files (/dev/stdout, /proc/self/fd/3) are written as they are. A file that may be written but not replaced, for
// its folder is closed or something is mounted on it, is written in place.
bool file_write(const char *path, const void *data, size_t size);

// The same in pieces, for what is too large to hold at once. A target that can be replaced is untouched until
// file_out_close succeeds; file_out_abandon (which may also follow a close, or a zeroed struct) leaves nothing behind.
struct file_out {
    int fd;
    bool open, whole;                // whole: has what was there before, which goes before the first byte is written
    char *path, *target, *temporary; // as it was named; what it leads to; NULL: written in place
};

bool file_out_open(struct file_out *out, const char *path);
bool file_out_add(struct file_out *out, const void *data, size_t size);
bool file_out_close(struct file_out *out);
void file_out_abandon(struct file_out *out);

// Removes every file that is only half written, for signal handlers that end the process; it is safe in them.
void file_remove_temporaries(void);

// Removes what writers of PATH that were killed have left behind; nobody may be writing it.
void file_sweep(const char *path);

// Whether PATH can be written as things stand, for work that would be lost at its end otherwise. Changes nothing.
bool file_can_write(const char *path);

// All of the data to an open file; on failure errno says why, and a part may be written.
bool file_add(int fd, const void *data, size_t size);

// How a message names the file.
const char *file_shown(const char *path);

// Creates the folder and its parents.
bool file_make_folder(const char *path);

#endif
