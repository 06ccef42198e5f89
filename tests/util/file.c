#include "util/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "expect.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/path.h"

static MunitResult test_round_trip(const MunitParameter params[], void *folder)
{
    (void)params;
    char *inner = xformat("%s/a/b/c", (char *)folder), *path = xformat("%s/x", inner);
    munit_assert_true(file_make_folder(inner));
    munit_assert_true(file_make_folder(inner));
    size_t size = 300000;
    char *data = xcalloc(size, 1), *back;
    for (size_t i = 0; i < size; i++)
        data[i] = (char)munit_rand_uint32();
    munit_assert_true(file_write(path, "old", 3));
    munit_assert_true(file_write(path, data, size));
    size_t got;
    munit_assert_true(file_read(path, size, &back, &got));
    munit_assert_size(got, ==, size);
    munit_assert_memory_equal(size, data, back);
    free(back);

    munit_assert_false(file_read(path, size - 1, &back, &got));
    munit_assert_int(error_fault(), ==, FAULT_INPUT);
    unlink(path);
    munit_assert_false(file_read(path, size, &back, &got));
    munit_assert_not_null(strstr(error_text(), path));
    free(data), free(path), free(inner);
    return MUNIT_OK;
}

// A write that fails leaves the old file alone and no temporary one behind.
static MunitResult test_full_disk(const MunitParameter params[], void *folder)
{
    (void)params;
    munit_assert_false(file_write("/dev/full", "x", 1));
    munit_assert_int(error_fault(), ==, FAULT_INPUT);
    char *path = xformat("%s/missing/x", (char *)folder);
    munit_assert_false(file_write(path, "x", 1));
    free(path);
    return MUNIT_OK;
}

static void expect_content(const char *path, const char *expected)
{
    char *data;
    size_t size;
    munit_assert_true(file_read(path, 1 << 10, &data, &size));
    munit_assert_string_equal(data, expected);
    free(data);
}

static void expect_link(const char *path, const char *target)
{
    char text[256];
    ssize_t size = readlink(path, text, sizeof text - 1);
    text[size > 0 ? size : 0] = 0;
    munit_assert_string_equal(text, target);
}

// A link stays a link: its target is replaced, or made if it is missing, with the temporary file beside it.
static MunitResult test_links(const MunitParameter params[], void *folder)
{
    (void)params;
    munit_assert_int(chdir(folder), ==, 0);
    munit_assert_true(file_make_folder("far"));
    munit_assert_true(file_write("far/x", "old", 3));
    munit_assert_int(symlink("far/second", "first"), ==, 0);
    munit_assert_int(symlink("x", "far/second"), ==, 0);
    struct file_out out;
    munit_assert_true(file_out_open(&out, "first"));
    munit_assert_not_null(strstr(out.temporary, "far/x."));
    file_out_abandon(&out);
    munit_assert_true(file_can_write("first"));
    munit_assert_true(file_write("first", "new", 3));
    expect_content("far/x", "new");
    munit_assert_int(unlink("far/x"), ==, 0);
    munit_assert_true(file_write("first", "again", 5));
    expect_content("far/x", "again");
    expect_link("first", "far/second");
    expect_link("far/second", "x");

    munit_assert_int(symlink("missing/x", "lost"), ==, 0);
    munit_assert_false(file_can_write("lost"));
    munit_assert_false(file_write("lost", "x", 1));
    munit_assert_int(symlink("round", "round"), ==, 0);
    munit_assert_false(file_can_write("round"));
    expect_refused(file_write("round", "x", 1), "round: cannot be written: Too many levels of symbolic links");
    return MUNIT_OK;
}

// A link to an open file, such as /dev/stdout, is appended to.
static MunitResult test_open_file(const MunitParameter params[], void *folder)
{
    (void)params;
    munit_assert_int(chdir(folder), ==, 0);
    int fd = open("x", O_RDWR | O_CREAT, 0600);
    munit_assert_true(file_add(fd, "old ", 4));
    char *target = xformat("/proc/self/fd/%d", fd);
    munit_assert_int(symlink(target, "stdout"), ==, 0);
    munit_assert_int(symlink("stdout", "out"), ==, 0);
    munit_assert_true(file_can_write("out"));
    munit_assert_true(file_write("out", "new", 3));
    munit_assert_true(file_write("out", "er", 2));
    expect_content("x", "old newer");
    expect_link("stdout", target);
    expect_link("out", "stdout");
    munit_assert_int(close(fd), ==, 0);
    munit_assert_false(file_can_write("out"));
    munit_assert_false(file_write("out", "x", 1));

    munit_assert_int(open("x", O_RDONLY), ==, fd); // the same number, for reading
    munit_assert_false(file_can_write("out"));

    int ends[2];
    munit_assert_int(pipe(ends), ==, 0);
    munit_assert_int(dup2(ends[1], fd), ==, fd);
    munit_assert_true(file_can_write("out"));
    munit_assert_true(file_write("out", "piped", 5));
    char text[8] = "";
    munit_assert_int((int)read(ends[0], text, sizeof text), ==, 5);
    munit_assert_string_equal(text, "piped");
    close(ends[0]), close(ends[1]), close(fd);
    expect_link("stdout", target);
    free(target);
    return MUNIT_OK;
}

// The temporary is always a new file, and no more readable than the file that it replaces.
static MunitResult test_temporary(const MunitParameter params[], void *folder)
{
    (void)params;
    munit_assert_int(chdir(folder), ==, 0);
    munit_assert_true(file_write("x", "old", 3));
    munit_assert_int(chmod("x", 0600), ==, 0);
    munit_assert_true(file_write("victim", "mine", 4));
    char *occupied = xformat("x.%ld.tmp", (long)getpid());
    munit_assert_int(symlink("victim", occupied), ==, 0);
    struct file_out out;
    struct stat status;
    munit_assert_true(file_out_open(&out, "x"));
    munit_assert_string_not_equal(out.temporary, occupied);
    munit_assert_int(fstat(out.fd, &status), ==, 0);
    munit_assert_int(status.st_mode & 0777, ==, 0600);
    munit_assert_true(fcntl(out.fd, F_GETFD) & FD_CLOEXEC);
    munit_assert_true(file_out_add(&out, "new", 3));
    munit_assert_true(file_out_close(&out));
    expect_content("x", "new");
    expect_content("victim", "mine");
    expect_link(occupied, "victim");
    file_sweep("x");
    munit_assert_int(access(occupied, F_OK), !=, 0);

    mode_t mask = umask(077);
    munit_assert_int(chmod("x", 0664), ==, 0);
    munit_assert_true(file_write("x", "newer", 5));
    umask(mask);
    munit_assert_int(stat("x", &status), ==, 0);
    munit_assert_int(status.st_mode & 0777, ==, 0664);
    free(occupied);
    return MUNIT_OK;
}

// FOLDER/x, which anyone may write; the folder's mode may not let them replace it.
static ino_t make_shared(const char *folder, const char *path, mode_t mode)
{
    struct stat status;
    munit_assert_true(file_make_folder(folder) && file_write(path, "older", 5));
    munit_assert_int(chmod(path, 0666) | chmod(folder, mode) | stat(path, &status), ==, 0);
    return status.st_ino;
}

static void expect_in_place(const char *path, ino_t number)
{
    struct stat status;
    munit_assert_true(file_can_write(path));
    expect_content(path, "older");
    munit_assert_true(file_write(path, "new", 3));
    expect_content(path, "new");
    munit_assert_true(file_write(path, "", 0));
    expect_content(path, "");
    munit_assert_int(stat(path, &status), ==, 0);
    munit_assert_true(status.st_ino == number);
}

// A file of a folder where none can be made, or where it is another's and cannot be replaced.
static MunitResult test_in_place(const MunitParameter params[], void *folder)
{
    (void)params;
    bool root = geteuid() == 0;
    munit_assert_int(chdir(folder) | chmod(".", 0755), ==, 0);
    ino_t closed = make_shared("closed", "closed/x", 0555), sticky = make_shared("sticky", "sticky/x", 01777);
    if (root && seteuid(65534))
        return MUNIT_SKIP; // root may do everything
    expect_in_place("closed/x", closed);
    expect_refused(file_write("closed/y", "new", 3), "closed/y: cannot be written: Permission denied");
    if (root)
        expect_in_place("sticky/x", sticky);
    munit_assert_true(!root || !seteuid(0));
    munit_assert_int(chmod("closed/x", 0444) | chmod("sticky/x", 0444), ==, 0);
    munit_assert_true(!root || !seteuid(65534));
    expect_refused(file_write("closed/x", "new", 3), "closed/x: cannot be written: Permission denied");
    if (root)
        expect_refused(file_write("sticky/x", "new", 3), "sticky/x: cannot be written: Operation not permitted");
    munit_assert_true(!root || !seteuid(0));
    munit_assert_int(chmod("closed", 0755) | unlink("closed/x") | rmdir("closed"), ==, 0); // nothing else is there
    munit_assert_int(unlink("sticky/x") | rmdir("sticky"), ==, 0);
    return MUNIT_OK;
}

// Calls what a signal handler calls before it ends the process; here the writers continue, and fail.
static MunitResult test_removed(const MunitParameter params[], void *folder)
{
    (void)params;
    munit_assert_int(chdir(folder), ==, 0);
    munit_assert_true(file_write("x", "old", 3));
    struct file_out out[3];
    for (int i = 0; i < 3; i++)
        munit_assert_true(file_out_open(&out[i], i ? "x" : "y"));
    char *temporary_name = xstrdup(out[2].temporary);
    file_out_abandon(&out[2]);
    munit_assert_true(file_write(temporary_name, "mine", 4)); // no longer a temporary
    file_remove_temporaries();
    expect_content("x", "old");
    expect_content(temporary_name, "mine");
    for (int i = 0; i < 2; i++) {
        munit_assert_int(access(out[i].temporary, F_OK), !=, 0);
        char *name = out[i].temporary; // the handler's now
        munit_assert_false(file_out_close(&out[i]));
        free(name);
    }
    expect_content("x", "old");
    munit_assert_int(access("y", F_OK), !=, 0);
    free(temporary_name);
    return MUNIT_OK;
}

// Checking a path before the work leaves nothing behind and changes nothing.
static MunitResult test_can_write(const MunitParameter params[], void *folder)
{
    (void)params;
    char *path = xformat("%s/x", (char *)folder), *missing = xformat("%s/missing/x", (char *)folder), *back;
    size_t size;
    munit_assert_true(file_can_write(path));
    munit_assert_int(access(path, F_OK), !=, 0);
    munit_assert_true(file_write(path, "old", 3));
    munit_assert_true(file_can_write(path));
    munit_assert_true(file_read(path, 3, &back, &size));
    munit_assert_string_equal(back, "old");
    munit_assert_int(unlink(path), ==, 0);
    munit_assert_int(rmdir(folder), ==, 0); // it is empty
    munit_assert_int(mkdir(folder, 0700), ==, 0);
    munit_assert_true(file_can_write("/dev/null"));
    munit_assert_false(file_can_write(missing));
    munit_assert_int(error_fault(), ==, FAULT_INPUT);
    munit_assert_false(file_can_write(folder));
    munit_assert_not_null(strstr(error_text(), "Is a directory"));
    free(back), free(missing), free(path);
    return MUNIT_OK;
}

static void expect_same(const char *a, const char *b, bool same)
{
    char *first = path_identity(a), *second = path_identity(b);
    munit_assert_not_null(first);
    munit_assert_not_null(second);
    munit_assert_int(!strcmp(first, second), ==, same);
    free(second), free(first);
}

// Under any name, and also before the file exists.
static MunitResult test_identity(const MunitParameter params[], void *folder)
{
    (void)params;
    char *path = xformat("%s/x", (char *)folder);
    munit_assert_int(chdir(folder), ==, 0);
    munit_assert_int(symlink("x", "link"), ==, 0);
    munit_assert_int(symlink(".", "here"), ==, 0);
    for (int pass = 0; pass < 2; pass++) {
        expect_same("x", path, true);
        expect_same("x", "link", true);
        expect_same("x", "here/link", true);
        expect_same("x", "y", false);
        munit_assert_true(file_write("x", "x", 1));
    }
    expect_same("x", "y", false);
    munit_assert_int(link("x", "y"), ==, 0);
    expect_same("x", "y", true);
    munit_assert_null(path_identity("/dev/null"));
    munit_assert_null(path_identity(folder));
    munit_assert_null(path_identity("missing/x"));
    free(path);
    return MUNIT_OK;
}

// A sweep removes only the temporary files of one file.
static MunitResult test_sweep(const MunitParameter params[], void *folder)
{
    (void)params;
    static const struct {
        const char *name;
        bool stays;
    } files[] = { { "x", true }, { "x.tmp", true }, { "x.12.tmp", false }, { "x.1a.tmp", true }, { "y.12.tmp", true },
        { "xx.12.tmp", true }, { "x.7.tmp", false }, { "x.7.tmp.svg", true } };
    char *path = xformat("%s/x", (char *)folder);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            char *file = xformat("%s/%s", (char *)folder, files[i].name);
            if (pass == 0)
                munit_assert_true(file_write(file, "x", 1));
            else
                munit_assert_int(!access(file, F_OK), ==, files[i].stays);
            free(file);
        }
        file_sweep(path);
    }
    free(path);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    FOLDER_TEST("/round-trip", test_round_trip, NULL),
    FOLDER_TEST("/links", test_links, NULL),
    FOLDER_TEST("/open-file", test_open_file, NULL),
    FOLDER_TEST("/temporary", test_temporary, NULL),
    FOLDER_TEST("/in-place", test_in_place, NULL),
    FOLDER_TEST("/removed", test_removed, NULL),
    FOLDER_TEST("/can-write", test_can_write, NULL),
    FOLDER_TEST("/identity", test_identity, NULL),
    FOLDER_TEST("/sweep", test_sweep, NULL),
    FOLDER_TEST("/full-disk", test_full_disk, NULL),
    TEST_END,
};
SUITE("/util/file", tests)
