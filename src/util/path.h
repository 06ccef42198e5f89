// Where what is written to a path ends up.
#ifndef UTIL_PATH_H
#define UTIL_PATH_H

#include <stdbool.h>
#include <sys/types.h>

// Where the bytes for a path go.
struct destination {
    char *name;       // behind symbolic links; NULL with errno: nowhere
    int descriptor;   // of this process; -1: a file is opened
    bool there, kept; // kept: a device, a pipe or an open file is written as it is, anything else is replaced
    mode_t mode;
};

struct destination path_resolve(const char *path); // its name is the caller's

// The name that writing to PATH is about: behind symbolic links, which stay links. It may be missing. The caller's;
// NULL with errno when the links have no end.
char *path_follow(const char *path);

// A text that two paths have in common exactly when both lead to one file, which may be missing as yet; the caller's.
// NULL for what is no regular file, and for what cannot be made one.
char *path_identity(const char *path);

const char *path_base(const char *path); // the last part of it
char *path_folder(const char *path);     // that holds the name, with a slash at its end; the caller's

#endif
