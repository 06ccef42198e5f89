#include "util/path.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/scan.h"

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *path_folder(const char *path)
{
    int size = (int)(path_base(path) - path);
    return size ? xformat("%.*s", size, path) : xstrdup("./");
}

// Returns the path's folder without symbolic links, or NULL if it does not exist.
static char *real_folder_of(const char *path)
{
    char *folder = path_folder(path), *real = realpath(folder, NULL);
    free(folder);
    return real;
}

// Returns whether PATH is in /proc, where /proc/self/fd/1 is an open file and only looks like a link to its name.
static bool is_open_file(const char *path)
{
    char *folder = real_folder_of(path);
    bool yes = folder && !strncmp(folder, "/proc/", 6);
    free(folder);
    return yes;
}

char *path_follow(const char *path)
{
    char *name = xstrdup(path), text[PATH_MAX];
    for (int links = 0; links < 40; links++) { // the kernel's limit
        ssize_t size = is_open_file(name) ? -1 : readlink(name, text, sizeof text);
        if (size < 0)
            return name;
        char *folder = *text == '/' ? xstrdup("") : path_folder(name);
        char *next = xformat("%s%.*s", folder, (int)size, text);
        free(folder);
        free(name);
        name = next;
    }
    free(name);
    errno = ELOOP;
    return NULL;
}

// Returns the descriptor of this process that PATH names, e.g. 1 for /proc/self/fd/1; -1: none.
static int descriptor_of(const char *path)
{
    char *folder = real_folder_of(path), *own = realpath("/proc/self/fd", NULL);
    int64_t number;
    bool yes =
        folder && own && !strcmp(folder, own) && span_integer(span_of(path_base(path)), &number) && number <= INT_MAX;
    free(own);
    free(folder);
    return yes ? (int)number : -1;
}

struct destination path_resolve(const char *path)
{
    if (!strcmp(path, "-"))
        return (struct destination){ .name = xstrdup(path), .descriptor = STDOUT_FILENO, .direct = true };
    struct destination destination = { .name = path_follow(path), .descriptor = -1 };
    if (!destination.name)
        return destination;
    struct stat status;
    destination.descriptor = descriptor_of(destination.name);
    destination.there = !stat(destination.name, &status);
    destination.mode = destination.there ? status.st_mode : 0;
    destination.direct = is_open_file(destination.name) || (destination.there && !S_ISREG(destination.mode));
    return destination;
}

char *path_identity(const char *path)
{
    struct stat status;
    if (!stat(path, &status))
        return S_ISREG(status.st_mode)
                   ? xformat("%llu:%llu", (unsigned long long)status.st_dev, (unsigned long long)status.st_ino)
                   : NULL;
    char *name = path_follow(path), *folder = name ? real_folder_of(name) : NULL;
    char *identity = folder ? xformat("%s/%s", folder, path_base(name)) : NULL;
    free(folder);
    free(name);
    return identity;
}
