#include "util/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/error.h"

const char *file_shown(const char *path)
{
    return strcmp(path, "-") ? path : "standard input";
}

// Reads to the end or to one byte more than LIMIT, growing as it goes: the size a file claims is not trusted.
static bool read_all(int fd, const char *path, size_t limit, char **data, size_t *size)
{
    size_t space = 1 << 16, used = 0;
    char *memory = malloc(space);
    while (memory) {
        ssize_t got = read(fd, memory + used, space - used - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            free(memory);
            return fail(FAULT_INPUT, "%s: cannot be read: %s", file_shown(path), strerror(errno));
        }
        used += (size_t)got;
        if (used > limit) {
            free(memory);
            return fail(FAULT_INPUT, "%s: longer than the %zu MiB that are read", file_shown(path), limit >> 20);
        }
        if (got == 0) {
            memory[used] = 0;
            *data = memory;
            *size = used;
            return true;
        }
        if (space - used < 2) {
            char *grown = realloc(memory, space *= 2);
            if (!grown)
                free(memory);
            memory = grown;
        }
    }
    return fail(FAULT_INTERNAL, "%s: out of memory after %zu bytes", file_shown(path), used);
}

bool file_read(const char *path, size_t limit, char **data, size_t *size)
{
    int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (fd < 0)
        return fail(FAULT_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    bool ok = read_all(fd, path, limit, data, size);
    if (fd != STDIN_FILENO)
        close(fd);
    return ok;
}

// For tests: MDAM_VK_INJECT=disk:N in the environment lets the disk be full from the Nth write on.
static bool disk_is_full(void)
{
    static long left = -1; // writes, once it is known
    if (left < 0) {
        const char *inject = getenv("MDAM_VK_INJECT");
        left = inject && !strncmp(inject, "disk:", 5) ? atol(inject + 5) : LONG_MAX;
    }
    left -= left > 0 && left < LONG_MAX;
    return left == 0;
}

bool file_add(int fd, const void *from, size_t size)
{
    const char *data = from;
    if (disk_is_full()) {
        ssize_t part = write(fd, data, size / 2);
        errno = ENOSPC;
        return (void)part, false;
    }
    while (size > 0) {
        ssize_t put = write(fd, data, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        data += put;
        size -= (size_t)put;
    }
    return true;
}

// The folder that holds the name; the caller's.
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? xformat("%.*s", (int)(slash - path + 1), path) : xstrdup(".");
}

// A rename is only safe against a power cut once the folder that holds the name is synced, too.
static void sync_folder_of(const char *path)
{
    char *folder = folder_of(path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

static bool cannot_write(const char *path, int error)
{
    if (!strcmp(path, "-"))
        return fail(FAULT_INTERNAL, "standard output: cannot be written: %s", strerror(error));
    return fail(FAULT_INPUT, "%s: cannot be written: %s", path, strerror(error));
}

bool file_out_open(struct file_out *out, const char *path)
{
    *out = (struct file_out){ .fd = STDOUT_FILENO, .open = true, .path = xstrdup(path) };
    if (!strcmp(path, "-"))
        return true;
    struct stat status;
    if (!stat(path, &status) && !S_ISREG(status.st_mode)) { // a device or a pipe is written as it is
        out->fd = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        out->temporary = xformat("%s.%ld.tmp", path, (long)getpid());
        out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (out->fd >= 0)
        return true;
    out->open = false;
    cannot_write(path, errno);
    file_out_abandon(out);
    return false;
}

bool file_out_add(struct file_out *out, const void *data, size_t size)
{
    return file_add(out->fd, data, size) || cannot_write(out->path, errno);
}

bool file_out_close(struct file_out *out)
{
    bool ok = !out->temporary || !fsync(out->fd);
    int error = errno;
    out->open = false;
    if (out->fd != STDOUT_FILENO && close(out->fd) && ok) {
        ok = false;
        error = errno;
    }
    if (ok && out->temporary && rename(out->temporary, out->path)) {
        ok = false;
        error = errno;
    }
    if (!ok) {
        cannot_write(out->path, error);
    } else if (out->temporary) {
        sync_folder_of(out->path);
        free(out->temporary);
        out->temporary = NULL;
    }
    file_out_abandon(out);
    return ok;
}

void file_out_abandon(struct file_out *out)
{
    if (out->open && out->fd != STDOUT_FILENO)
        close(out->fd);
    if (out->temporary)
        unlink(out->temporary);
    free(out->temporary);
    free(out->path);
    *out = (struct file_out){ 0 };
}

bool file_write(const char *path, const void *data, size_t size)
{
    struct file_out out;
    if (!file_out_open(&out, path))
        return false;
    if (file_out_add(&out, data, size))
        return file_out_close(&out);
    file_out_abandon(&out);
    return false;
}

bool file_can_write(const char *path)
{
    if (!strcmp(path, "-")) {
        int mode = fcntl(STDOUT_FILENO, F_GETFL);
        return (mode >= 0 && (mode & O_ACCMODE) != O_RDONLY) || cannot_write(path, EBADF);
    }
    struct stat status;
    if (!stat(path, &status) && !S_ISREG(status.st_mode)) // not opened: that would wait for a pipe's reader
        return S_ISDIR(status.st_mode) ? cannot_write(path, EISDIR) : !access(path, W_OK) || cannot_write(path, errno);
    struct file_out out;
    bool ok = file_out_open(&out, path);
    file_out_abandon(&out);
    return ok;
}

bool file_same(const char *a, const char *b)
{
    struct stat first, second;
    return !stat(a, &first) && !stat(b, &second) && S_ISREG(first.st_mode) && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

// Whether NAME is one that file_out_open gives to what will be BASE.
static bool is_temporary(const char *name, const char *base)
{
    size_t size = strlen(base);
    if (strncmp(name, base, size) || name[size] != '.')
        return false;
    const char *number = name + size + 1;
    size_t digits = strspn(number, "0123456789");
    return digits && !strcmp(number + digits, ".tmp");
}

void file_sweep(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *folder = folder_of(path);
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (is_temporary(entry->d_name, base)) {
            char *file = xformat("%s/%s", folder, entry->d_name);
            unlink(file);
            free(file);
        }
    }
    if (list)
        closedir(list);
    free(folder);
}

bool file_make_folder(const char *path)
{
    char *copy = xstrdup(path);
    bool ok = true;
    for (char *end = copy + 1; ok && *copy; end++) {
        if (*end && *end != '/')
            continue;
        char kept = *end;
        *end = 0;
        ok = !mkdir(copy, 0777) || errno == EEXIST;
        *end = kept;
        if (!kept)
            break;
    }
    free(copy);
    return ok || fail(FAULT_INPUT, "%s: cannot be created: %s", path, strerror(errno));
}
