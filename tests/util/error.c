#include "util/error.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"

static MunitResult test_fail(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    munit_assert_false(fail(FAULT_INPUT, "%s is %d", "x", 3));
    munit_assert_string_equal(error_text(), "x is 3");
    munit_assert_int(error_fault(), ==, FAULT_INPUT);
    munit_assert_false(fail_within("file/%d", 7));
    munit_assert_string_equal(error_text(), "file/7: x is 3");
    munit_assert_int(error_fault(), ==, FAULT_INPUT);
    error_clear();
    munit_assert_int(error_fault(), ==, FAULT_NONE);
    return MUNIT_OK;
}

static MunitResult test_long(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    char longer[5000];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    fail(FAULT_INPUT, "%s", longer);
    munit_assert_size(strlen(error_text()), <, sizeof longer);
    fail_within("%s", longer);
    munit_assert_size(strlen(error_text()), <, sizeof longer);
    return MUNIT_OK;
}

static MunitResult test_range(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    munit_assert_true(check_range("x", 1, 1, 3));
    munit_assert_true(check_range("x", 3, 1, 3));
    munit_assert_false(check_range("x", 4294967295, 1, 3));
    munit_assert_string_equal(error_text(), "x must be between 1 and 3, not 4294967295");
    munit_assert_int(error_fault(), ==, FAULT_INPUT);
    munit_assert_false(check_range("x", 0.5, 1, 3));
    munit_assert_string_equal(error_text(), "x must be between 1 and 3, not 0.5");
    munit_assert_false(check_range("x", NAN, 1, 3));
    return MUNIT_OK;
}

// Returns how a process ends that finds a bug.
static int end_of_bug(bool program)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        if (program)
            bug_exits();
        bug("%d is wrong", 3);
    }
    munit_assert_int(waitpid(child, &status, 0), ==, child);
    return status;
}

static MunitResult test_bug(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    int library = end_of_bug(false), program = end_of_bug(true);
    munit_assert_true(WIFSIGNALED(library) && WTERMSIG(library) == SIGABRT);
    munit_assert_true(WIFEXITED(program) && WEXITSTATUS(program) == FAULT_INTERNAL);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/bug", test_bug, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/fail", test_fail, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/range", test_range, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/long", test_long, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/util/error", tests)
