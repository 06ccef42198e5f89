#include "util/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/path.h"

const char *file_shown(const char *path)
{
    return strcmp(path, "-") ? path : "standard input";
}

// Reads to the end of the file, or one byte more than LIMIT. The buffer grows with the data, because a file's reported
// size is not trusted.
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
            return fail(FAULT_INPUT, "%s: larger than the limit of %zu MiB", file_shown(path), limit >> 20);
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

// For tests: MDAM_VK_INJECT=disk:N in the environment makes the Nth write and all later ones fail with a full disk.
static bool disk_is_full(void)
{
    static _Thread_local long left = -1; // writes before the disk is full; -1: environment not read yet
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

// A rename survives a power cut only after the folder is synced too.
static void sync_folder_of(const char *path)
{
    char *folder = path_folder(path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

static bool cannot_write(const char *path, int error)
{
    return fail(
        FAULT_INPUT, "%s: cannot be written: %s", strcmp(path, "-") ? path : "standard output", strerror(error));
}

// Temporary files that a signal handler may have to remove, on any thread. The thread that removes an entry owns the
// name.
static _Atomic(char *) temporaries[16];
enum { TEMPORARIES = sizeof temporaries / sizeof *temporaries };

static void remember_temporary(char *name)
{
    char *none = NULL;
    for (int i = 0; i < TEMPORARIES && !atomic_compare_exchange_strong(&temporaries[i], &none, name); i++)
        none = NULL;
}

static void forget_temporary(char *name)
{
    for (int i = 0; name && i < TEMPORARIES; i++) {
        char *own = name;
        if (atomic_compare_exchange_strong(&temporaries[i], &own, NULL)) {
            free(name);
            return;
        }
    } // not found: a signal handler has removed it, or the table was full
}

void file_remove_temporaries(void)
{
    for (int i = 0; i < TEMPORARIES; i++) {
        const char *name = atomic_exchange(&temporaries[i], NULL);
        if (name)
            unlink(name);
    }
}

// Opens a temporary file with an unused name beside the target: a killed writer with the same process id may have left
// one. Its permissions do not exceed those of the file it replaces.
static void open_temporary(struct file_out *out, const struct destination *destination)
{
    int error = EEXIST;
    for (long i = 0; error == EEXIST && i < 1000; i++) {
        char *name = xformat("%s.%ld.tmp", destination->name, getpid() + (i << 22)); // above all process ids
        out->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
            destination->there ? destination->mode & 0777 : 0666);
        error = out->fd < 0 ? errno : 0;
        if (error)
            free(name);
        else
            remember_temporary(out->temporary = name);
    }
    if (!error && destination->there)
        fchmod(out->fd, destination->mode & 0777); // undoes the umask; fails on file systems without permissions
    errno = error;
}

// These errors of a folder or mount forbid replacing a file that may itself be writable.
static bool is_about_replacing(int error)
{
    return error == EACCES || error == EPERM || error == EROFS || error == EBUSY;
}

// Leaves errno unchanged: it says why replacing failed.
static int open_in_place(const char *name)
{
    int error = errno, fd = open(name, O_WRONLY | O_CLOEXEC);
    errno = error;
    return fd;
}

// Returns whether the file system can reserve SIZE bytes at FD without changing the contents.
static bool reserve(int fd, off_t size)
{
    return size == 0 || !fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size) || (errno != ENOSPC && errno != EDQUOT);
}

// Copies the finished temporary into a target that cannot be replaced. errno says why not, before the call and after a
// failure. *begun: the old contents are gone.
static bool copy_in_place(const struct file_out *out, bool *begun)
{
    char part[1 << 14];
    ssize_t size;
    struct stat status;
    int to = is_about_replacing(errno) ? open_in_place(out->target) : -1, error;
    if (to < 0)
        return false;
    int from = open(out->temporary, O_RDONLY | O_CLOEXEC);
    bool ok = from >= 0 && !fstat(from, &status) && reserve(to, status.st_size) && !ftruncate(to, 0);
    *begun = ok;
    while (ok && (size = read(from, part, sizeof part)) != 0)
        ok = size > 0 && file_add(to, part, (size_t)size);
    ok = ok && !fsync(to);
    error = errno;
    if (from >= 0)
        close(from);
    if (close(to) && ok) {
        ok = false;
        error = errno;
    }
    errno = error;
    return ok;
}

static bool empty(struct file_out *out)
{
    bool ok = !out->whole || !ftruncate(out->fd, 0);
    out->whole = false;
    return ok;
}

bool file_out_open(struct file_out *out, const char *path)
{
    struct destination destination = path_resolve(path);
    *out = (struct file_out){ .fd = -1, .path = xstrdup(path), .target = destination.name };
    if (destination.descriptor >= 0) // duplicated, so that the bytes are appended after >>
        out->fd = fcntl(destination.descriptor, F_DUPFD_CLOEXEC, 0);
    else if (destination.direct)
        out->fd = open(destination.name, O_WRONLY | O_CLOEXEC);
    else if (destination.name)
        open_temporary(out, &destination);
    if (out->fd < 0 && destination.there && !destination.direct && is_about_replacing(errno)) {
        out->fd = open_in_place(destination.name);
        out->whole = true;
    }
    out->open = out->fd >= 0;
    if (out->open)
        return true;
    cannot_write(path, errno);
    file_out_abandon(out);
    return false;
}

bool file_out_open_growing(struct file_out *out, const char *path)
{
    struct destination destination = path_resolve(path);
    *out = (struct file_out){ .fd = -1, .path = xstrdup(path), .target = destination.name };
    if (destination.descriptor >= 0)
        out->fd = fcntl(destination.descriptor, F_DUPFD_CLOEXEC, 0);
    else if (destination.name)
        out->fd = open(destination.name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    out->open = out->fd >= 0;
    if (out->open)
        return true;
    cannot_write(path, errno);
    file_out_abandon(out);
    return false;
}

bool file_out_add(struct file_out *out, const void *data, size_t size)
{
    return (empty(out) && file_add(out->fd, data, size)) || cannot_write(out->path, errno);
}

bool file_out_close(struct file_out *out)
{
    bool ok = empty(out) && (!out->temporary || !fsync(out->fd)), replaced = false, begun = false;
    int error = errno;
    out->open = false;
    if (close(out->fd) && ok) {
        ok = false;
        error = errno;
    }
    if (ok && out->temporary) {
        replaced = !rename(out->temporary, out->target);
        ok = replaced || copy_in_place(out, &begun);
        error = errno;
    }
    if (!ok && begun)
        fail(FAULT_INPUT, "%s: cannot be written: %s; all of it is in %s", out->path, strerror(error), out->temporary);
    else if (!ok)
        cannot_write(out->path, error);
    if (replaced || (!ok && begun)) { // keep the temporary
        forget_temporary(out->temporary);
        out->temporary = NULL;
    }
    if (replaced)
        sync_folder_of(out->target);
    file_out_abandon(out);
    return ok;
}

void file_out_abandon(struct file_out *out)
{
    if (out->open)
        close(out->fd);
    if (out->temporary)
        unlink(out->temporary);
    forget_temporary(out->temporary);
    free(out->target);
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
    struct destination destination = path_resolve(path);
    struct file_out out = { 0 };
    bool ok;
    if (destination.descriptor >= 0) {
        int mode = fcntl(destination.descriptor, F_GETFL);
        ok = (mode >= 0 && (mode & O_ACCMODE) != O_RDONLY) || cannot_write(path, EBADF);
    } else if (destination.direct) { // not opened, because opening a pipe waits for its reader
        ok = S_ISDIR(destination.mode) ? cannot_write(path, EISDIR)
                                       : !access(destination.name, W_OK) || cannot_write(path, errno);
    } else {
        ok = file_out_open(&out, path);
    }
    file_out_abandon(&out);
    free(destination.name);
    return ok;
}

// Returns whether NAME is a temporary name that file_out_open makes for BASE.
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
    char *name = path_follow(path), *folder = path_folder(name ? name : path);
    DIR *list = opendir(folder);
    for (struct dirent *entry; name && list && (entry = readdir(list));) {
        if (is_temporary(entry->d_name, path_base(name))) {
            char *file = xformat("%s%s", folder, entry->d_name);
            unlink(file);
            free(file);
        }
    }
    if (list)
        closedir(list);
    free(folder);
    free(name);
}

bool file_make_folder(const char *path)
{
    char *copy = xstrdup(path);
    bool ok = true;
    for (char *end = copy + 1; ok && *copy; end++) {
        if (*end && *end != '/')
            continue;
        char saved = *end;
        *end = 0;
        ok = !mkdir(copy, 0777) || errno == EEXIST;
        *end = saved;
        if (!saved)
            break;
    }
    free(copy);
    return ok || fail(FAULT_INPUT, "%s: cannot be created: %s", path, strerror(errno));
}
