#include "util/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "expect.h"
#include "tests/util/suites.h"
#include "util/alloc.h"
#include "util/error.h"

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

// Asked before the work, and nothing is left behind or changed by asking.
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

static MunitResult test_same(const MunitParameter params[], void *folder)
{
    (void)params;
    char *path = xformat("%s/x", (char *)folder), *again = xformat("%s/./x", (char *)folder),
         *other = xformat("%s/y", (char *)folder);
    munit_assert_false(file_same(path, again)); // it is not there
    munit_assert_true(file_write(path, "x", 1));
    munit_assert_true(file_write(other, "x", 1));
    munit_assert_true(file_same(path, again));
    munit_assert_false(file_same(path, other));
    munit_assert_false(file_same("/dev/null", "/dev/null"));
    munit_assert_int(unlink(path), ==, 0);
    munit_assert_int(unlink(other), ==, 0);
    free(other), free(again), free(path);
    return MUNIT_OK;
}

// Of all files in a folder only the temporaries of the one that is swept go.
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

MunitTest util_file_tests[] = {
    { "/round-trip", test_round_trip, folder_make, folder_remove, MUNIT_TEST_OPTION_NONE, NULL },
    { "/can-write", test_can_write, folder_make, folder_remove, MUNIT_TEST_OPTION_NONE, NULL },
    { "/same", test_same, folder_make, folder_remove, MUNIT_TEST_OPTION_NONE, NULL },
    { "/sweep", test_sweep, folder_make, folder_remove, MUNIT_TEST_OPTION_NONE, NULL },
    { "/full-disk", test_full_disk, folder_make, folder_remove, MUNIT_TEST_OPTION_NONE, NULL },
    TEST_END,
};
