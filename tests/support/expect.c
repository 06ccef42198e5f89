#include "expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/error.h"

void expect_message(const char *actual, const char *expected)
{
    size_t length = strlen(expected);
    bool open_end = length && expected[length - 1] == '*';
    if (open_end ? strncmp(actual, expected, length - 1) : strcmp(actual, expected))
        munit_errorf("the message is \"%s\", not \"%s\"", actual, expected);
}

void expect_refused(bool ok, const char *message)
{
    munit_assert_false(ok);
    expect_message(error_text(), message);
    munit_assert_int(error_fault(), ==, FAULT_INPUT);
    error_clear();
}

void expect_cuts_refused(const char *data, size_t size, bool (*read)(const char *data, size_t size))
{
    for (size_t cut = 0; cut < size; cut++) {
        char *exact = xcalloc(cut, 1); // so that a byte too many is seen
        memcpy(exact, data, cut);
        munit_assert_false(read(exact, cut));
        munit_assert_int(error_fault(), ==, FAULT_INPUT);
        free(exact);
    }
}

void *folder_make(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const char *base = getenv("TMPDIR");
    char *folder = xformat("%s/mdam-vk-test-XXXXXX", base ? base : "/tmp");
    munit_assert_not_null(mkdtemp(folder));
    return folder;
}

void folder_remove(void *folder)
{
    char *command = xformat("rm -rf '%s'", (char *)folder);
    if (system(command))
        fprintf(stderr, "cannot remove %s\n", (char *)folder);
    free(command), free(folder);
}
