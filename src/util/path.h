// Finds the file that a write to a path reaches.
#ifndef UTIL_PATH_H
#define UTIL_PATH_H

#include <stdbool.h>
#include <sys/types.h>

// The target of a write.
struct destination {
    char *name;         // symbolic links resolved; NULL with errno: no target
    int descriptor;     // of this process; -1: the file must be opened
    bool there, direct; // direct: a device, a pipe or an open file, which is written to; other files are replaced
    mode_t mode;
};

struct destination path_resolve(const char *path); // the caller frees its name

// Resolves symbolic links of PATH. The file itself may be missing. The caller frees the result; NULL with errno if
// links form a loop.
char *path_follow(const char *path);

// Returns a text that is equal for two paths exactly if both lead to the same file, which may be missing. The caller
// frees it. NULL if the path is not, and cannot become, a regular file.
char *path_identity(const char *path);

const char *path_base(const char *path); // last component
char *path_folder(const char *path);     // folder of the path, with a trailing slash; the caller frees it

#endif
