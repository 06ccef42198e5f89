#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "expect.h"
#include "suite.h"
#include "tests/gpu/chain.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"

static void count(void *user, uint32_t before)
{
    uint32_t *compiled = user;
    munit_assert_uint32(before, ==, *compiled);
    ++*compiled;
}

// Opens the device with this cache folder, uses a pipeline and closes it.
static void use(const char *folder)
{
    struct gpu *gpu;
    uint32_t compiled = 0;
    char *passing = xstrdup(folder); // must not be needed after opening
    test_ok(gpu_open(&gpu, &(struct gpu_options){ .cache = passing, .compiling = count, .user = &compiled }));
    free(passing);
    struct chain chain;
    chain_make(&chain, gpu);
    uint32_t number[CHAIN_COUNT];
    test_ok(chain_fill(&chain, number));
    test_ok(cmd_run(chain.cmd));
    chain_expect(&chain, number);
    chain_finish(&chain);
    munit_assert_uint32(compiled, >, 0);
}

// The one file in the folder; the caller frees the path.
static char *only_file(const char *folder)
{
    char *path = NULL;
    DIR *list = opendir(folder);
    munit_assert_not_null(list);
    for (struct dirent *entry; (entry = readdir(list));) {
        if (entry->d_name[0] == '.')
            continue;
        munit_assert_null(path);
        path = xformat("%s/%s", folder, entry->d_name);
    }
    closedir(list);
    munit_assert_not_null(path);
    return path;
}

static ino_t inode(const char *path)
{
    struct stat status;
    munit_assert_int(stat(path, &status), ==, 0);
    return status.st_ino;
}

// A damaged file is ignored and replaced.
static MunitResult test_damaged(const MunitParameter params[], void *base)
{
    (void)params;
    enum { MAGIC = 8, UUID = 16 };
    char *folder = xformat("%s/new/cache", (char *)base), *good, *now;
    size_t size, length;
    use(folder);
    char *path = only_file(folder);
    test_ok(file_read(path, 1 << 30, &good, &size));
    munit_assert_size(size, >, MAGIC + UUID + 16);

    ino_t before = inode(path);
    use(folder);
    munit_assert_true(inode(path) == before); // nothing new, nothing written

    struct damage {
        size_t bytes; // bytes
        size_t flip;  // one of them; SIZE_MAX: none
    } damages[] = { { 0, SIZE_MAX }, { 5, SIZE_MAX }, { size / 2, SIZE_MAX }, { size - 1, SIZE_MAX }, { size, 0 },
        { size, MAGIC + 3 }, { size, size - 1 } };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char *bad = xcalloc(size, 1);
        memcpy(bad, good, size);
        if (damages[i].flip != SIZE_MAX)
            bad[damages[i].flip] ^= 0x55;
        test_ok(file_write(path, bad, damages[i].bytes));
        before = inode(path);
        error_clear();
        use(folder);
        munit_assert_string_equal(error_text(), "");
        munit_assert_false(inode(path) == before);
        test_ok(file_read(path, 1 << 30, &now, &length));
        munit_assert_size(length, >, MAGIC + UUID + 16);
        munit_assert_memory_equal(MAGIC + UUID, now, good);
        free(now), free(bad);
    }
    free(good), free(path), free(folder);
    return MUNIT_OK;
}

// A folder that cannot be made costs nothing but time, and hides no earlier sentence.
static MunitResult test_unwritable(const MunitParameter params[], void *base)
{
    (void)params;
    char *file = xformat("%s/file", (char *)base), *folder = xformat("%s/inside", file);
    test_ok(file_write(file, "x", 1));
    error_clear();
    use(folder);
    munit_assert_string_equal(error_text(), "");
    struct gpu *gpu;
    test_ok(gpu_open(&gpu, &(struct gpu_options){ .cache = folder }));
    struct chain chain;
    chain_make(&chain, gpu);
    fail(FAULT_INPUT, "an earlier sentence");
    chain_finish(&chain);
    munit_assert_string_equal(error_text(), "an earlier sentence");
    munit_assert_int(error_fault(), ==, FAULT_INPUT);
    free(file), free(folder);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    FOLDER_TEST("/damaged", test_damaged, NULL),
    FOLDER_TEST("/unwritable", test_unwritable, NULL),
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/gpu/cache", tests)
