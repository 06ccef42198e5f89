#include "train/log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>
#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "tests/train/support.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"

static void add(struct train_log *log, int instances, const char *key)
{
    munit_assert_true(log_add(log, json_pack("{s:i, s:f}", "instances", instances, key, 0.5 * instances)));
}

// Opening the log again cuts it at the mark and reads the points before it.
static MunitResult test_cut(const MunitParameter params[], void *folder)
{
    (void)params;
    struct train_log log;
    munit_assert_true(log_open(&log, folder, 0, 0));
    add(&log, 0, "val_cost");
    add(&log, 10, "cost");
    munit_assert_true(log_sync(&log));
    uint64_t mark = log.lines;
    add(&log, 20, "cost");
    struct train_log second;
    munit_assert_false(log_open(&second, folder, 0, 0)); // another process has it
    munit_assert_true(strstr(error_text(), "another process trains in this folder") != NULL);
    log_close(&second);
    log_close(&log);
    munit_assert_true(log_open(&log, folder, mark, 0));
    munit_assert_size(arrlenu(log.costs), ==, 1);
    munit_assert_size(arrlenu(log.validations), ==, 1);
    munit_assert_double(log.costs[0].cost, ==, 5);
    add(&log, 30, "cost");
    char *data;
    size_t size;
    munit_assert_true(file_read(log.path, 1 << 20, &data, &size));
    munit_assert_string_equal(data, "{\"instances\":0,\"val_cost\":0.0}\n{\"instances\":10,\"cost\":5.0}\n"
                                    "{\"instances\":30,\"cost\":15.0}\n");
    munit_assert_uint64(log.lines, ==, 3);
    free(data);
    log_close(&log);
    return MUNIT_OK;
}

// A log that is shorter than it was goes on behind its last whole line, and says how much it lost.
static MunitResult test_lost(const MunitParameter params[], void *folder)
{
    (void)params;
    struct train_log log;
    munit_assert_true(log_open(&log, folder, 0, 0));
    munit_assert_uint64(log.lost, ==, 0);
    add(&log, 10, "cost");
    add(&log, 20, "cost");
    struct stat file;
    munit_assert_int(stat(log.path, &file), ==, 0);
    munit_assert_int(truncate(log.path, file.st_size - 3), ==, 0);
    log_close(&log);
    munit_assert_true(log_open(&log, folder, 2, 0));
    munit_assert_uint64(log.lost, ==, 1);
    munit_assert_uint64(log.lines, ==, 1);
    munit_assert_size(arrlenu(log.costs), ==, 1);
    add(&log, 30, "cost");
    munit_assert_int(unlink(log.path), ==, 0);
    log_close(&log);
    munit_assert_true(log_open(&log, folder, 2, 0));
    munit_assert_uint64(log.lost, ==, 2);
    munit_assert_uint64(log.lines, ==, 0);
    log_close(&log);
    return MUNIT_OK;
}

// A checkpoint of version 0.1 says where its log ends in bytes.
static MunitResult test_bytes(const MunitParameter params[], void *folder)
{
    (void)params;
    struct train_log log;
    struct stat file;
    munit_assert_true(log_open(&log, folder, 0, 0));
    add(&log, 10, "cost");
    munit_assert_int(stat(log.path, &file), ==, 0);
    add(&log, 20, "cost");
    log_close(&log);
    munit_assert_true(log_open(&log, folder, 0, (uint64_t)file.st_size));
    munit_assert_uint64(log.lost, ==, 0);
    munit_assert_uint64(log.lines, ==, 1);
    log_close(&log);
    munit_assert_true(log_open(&log, folder, 0, (uint64_t)file.st_size + 9));
    munit_assert_uint64(log.lost, ==, 9);
    munit_assert_uint64(log.lines, ==, 1);
    log_close(&log);
    return MUNIT_OK;
}

// As TensorBoard's own writer has them: the first record of a file, and one with a scalar.
static const char begin_record[] = "\x0f\x00\x00\x00\x00\x00\x00\x00\x6d\x53\x2b\x09\x1a\x0d"
                                   "brain.Event:2\xfc\x98\x51\x29";
static const char scalar_record[] =
    "\x1b\x00\x00\x00\x00\x00\x00\x00\x1a\x0d\x9e\x13\x09\x00\x00\x00\x00\x00\x00\xf8\x3f\x10\xac\x02\x2a\x0d"
    "\x0a\x0b\x0a\x04"
    "cost\x15\x00\x00\x20\x40\xfd\x46\x3b\xd1";
enum { BEGIN = sizeof begin_record - 1, SCALAR = sizeof scalar_record - 1 };

static void expect_events(const struct train_log *log, size_t scalars)
{
    char *data;
    size_t size;
    munit_assert_true(file_read(log->events_path, 1 << 20, &data, &size));
    munit_assert_size(size, ==, BEGIN + scalars * SCALAR);
    munit_assert_memory_equal(BEGIN, data, begin_record);
    for (size_t i = 0; i < scalars; i++)
        munit_assert_memory_equal(SCALAR, data + BEGIN + i * SCALAR, scalar_record);
    free(data);
}

static void add_scalar(struct train_log *log)
{
    munit_assert_true(
        log_add(log, json_pack("{s:i, s:f, s:f, s:s}", "step", 300, "seconds", 1.5, "cost", 2.5, "note", "a word")));
}

// The events are those of the lines, also after lines were cut, and of lines from before there were any events.
static MunitResult test_events(const MunitParameter params[], void *folder)
{
    (void)params;
    struct train_log log;
    munit_assert_true(log_open(&log, folder, 0, 0));
    add_scalar(&log);
    munit_assert_false(log_has_events(folder));
    munit_assert_true(log_open_events(&log, folder));
    expect_events(&log, 1);
    add_scalar(&log);
    expect_events(&log, 2);
    uint64_t mark = log.lines;
    add_scalar(&log);
    munit_assert_int(truncate(log.events_path, BEGIN + 2 * SCALAR + 5), ==, 0); // it was killed while it wrote
    log_close(&log);
    munit_assert_true(log_open(&log, folder, mark, 0) && log_has_events(folder) && log_open_events(&log, folder));
    expect_events(&log, 2);
    add_scalar(&log);
    expect_events(&log, 3);
    log_close(&log);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    FOLDER_TEST("/cut", test_cut, NULL),
    FOLDER_TEST("/lost", test_lost, NULL),
    FOLDER_TEST("/bytes", test_bytes, NULL),
    FOLDER_TEST("/events", test_events, NULL),
    TEST_END,
};
SUITE("/train/log", tests)
