#include "train/checkpoint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "tests/train/support.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"

// Number NUMBER of a training: recognisable in every part.
static struct checkpoint make(uint64_t number)
{
    struct checkpoint c = { .settings = small_settings("op"), .count = 100 };
    c.state = (struct train_state){ .step = number * 10, .average = 0.1 * (double)number, .checkpoint = number };
    c.clock.seconds = 3 * (double)number;
    c.slot = number % 2;
    c.values = xcalloc(c.count, sizeof *c.values);
    for (uint64_t i = 0; i < c.count; i++)
        c.values[i] = (float)(i + number);
    arrsetlen(c.splits, 1);
    c.splits[0][0] = 1, c.splits[0][1] = 3;
    return c;
}

static void write_one(const char *folder, uint64_t number)
{
    struct checkpoint c = make(number);
    char *path = xformat("%s/checkpoint", folder);
    munit_assert_true(file_make_folder(path));
    munit_assert_true(checkpoint_write(folder, &c));
    checkpoint_finish(&c);
    free(path);
}

static char *slot(const char *folder, uint64_t number)
{
    return xformat("%s/checkpoint/%d", folder, (int)(number % 2));
}

static char *noted;
static void take_note(void *user, const char *sentence)
{
    (void)user;
    free(noted);
    noted = xstrdup(sentence);
}

static void expect_number(const char *folder, uint64_t number, const char *note)
{
    struct checkpoint c, expected = make(number);
    free(noted);
    noted = NULL;
    if (!checkpoint_read(folder, &c, take_note, NULL))
        munit_errorf("%s", error_text());
    munit_assert_memory_equal(sizeof c.settings, &c.settings, &expected.settings);
    munit_assert_memory_equal(sizeof c.state, &c.state, &expected.state);
    munit_assert_uint32(c.slot, ==, expected.slot);
    munit_assert_uint64(c.count, ==, expected.count);
    munit_assert_memory_equal(c.count * sizeof *c.values, c.values, expected.values);
    munit_assert_memory_equal(sizeof c.splits[0], c.splits[0], expected.splits[0]);
    if (note ? !noted || !strstr(noted, note) : noted != NULL)
        munit_errorf("noted: %s", noted ? noted : "nothing");
    checkpoint_finish(&c);
    checkpoint_finish(&expected);
}

static MunitResult test_newest(const MunitParameter params[], void *folder)
{
    (void)params;
    struct checkpoint c;
    munit_assert_false(checkpoint_exists(folder));
    munit_assert_false(checkpoint_read(folder, &c, NULL, NULL));
    for (uint64_t number = 1; number < 5; number++) {
        write_one(folder, number);
        munit_assert_true(checkpoint_exists(folder));
        expect_number(folder, number, NULL);
    }
    return MUNIT_OK;
}

// If the newest checkpoint is damaged, the one before it is found, with a warning.
static MunitResult test_damaged(const MunitParameter params[], void *folder)
{
    (void)params;
    write_one(folder, 4);
    write_one(folder, 5);
    char *path = slot(folder, 5), *data;
    size_t size;
    munit_assert_true(file_read(path, 1 << 20, &data, &size));
    for (size_t cut = 0; cut < size; cut += 1 + cut / 40) {
        munit_assert_true(file_write(path, data, cut));
        expect_number(folder, 4, "the other checkpoint is used");
    }
    for (size_t i = 0; i < size; i += 1 + i / 60) {
        data[i] ^= (char)(1 << i % 8);
        munit_assert_true(file_write(path, data, size));
        expect_number(folder, 4, "the other checkpoint is used");
        data[i] ^= (char)(1 << i % 8);
    }
    munit_assert_true(file_write(path, data, size));
    expect_number(folder, 5, NULL);
    free(data);
    // The next checkpoint replaces the damaged one.
    write_one(folder, 6);
    expect_number(folder, 6, NULL);
    free(path);
    return MUNIT_OK;
}

static MunitResult test_both_damaged(const MunitParameter params[], void *folder)
{
    (void)params;
    struct checkpoint c;
    for (uint64_t number = 1; number < 3; number++) {
        char *path = slot(folder, number);
        write_one(folder, number);
        munit_assert_int(truncate(path, 60), ==, 0);
        free(path);
    }
    munit_assert_false(checkpoint_read(folder, &c, NULL, NULL));
    munit_assert_true(strstr(error_text(), "cut short") != NULL);
    munit_assert_int(error_fault(), ==, FAULT_INPUT);
    return MUNIT_OK;
}

// Durations are in a file of their own: the checkpoint has the same bytes without it, and is read without it.
static MunitResult test_clock(const MunitParameter params[], void *folder)
{
    (void)params;
    struct checkpoint c = make(2), back;
    char *path = slot(folder, 2), *clock = xformat("%s/clock.json", (char *)folder), *first, *second;
    size_t size, again;
    write_one(folder, 2);
    munit_assert_true(file_read(path, 1 << 20, &first, &size));
    munit_assert_true(checkpoint_read(folder, &back, NULL, NULL) && back.clock.seconds == 6);
    checkpoint_finish(&back);
    c.clock.seconds = 1e9;
    munit_assert_true(checkpoint_write(folder, &c) && file_read(path, 1 << 20, &second, &again));
    munit_assert_size(again, ==, size);
    munit_assert_memory_equal(size, first, second);
    munit_assert_true(file_write(clock, "{\"seconds\": \"soon\"}", 19));
    munit_assert_true(checkpoint_read(folder, &back, NULL, NULL) && back.clock.seconds == 0);
    checkpoint_finish(&back);
    munit_assert_int(unlink(clock), ==, 0);
    munit_assert_true(checkpoint_read(folder, &back, NULL, NULL) && back.clock.seconds == 0);
    checkpoint_finish(&back);
    checkpoint_finish(&c);
    free(first), free(second), free(path), free(clock);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    FOLDER_TEST("/clock", test_clock, NULL),
    FOLDER_TEST("/newest", test_newest, NULL),
    FOLDER_TEST("/damaged", test_damaged, NULL),
    FOLDER_TEST("/both-damaged", test_both_damaged, NULL),
    TEST_END,
};
SUITE("/train/checkpoint", tests)
