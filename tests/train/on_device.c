#include "tests/train/on_device.h"

#include <string.h>

// With "long" as the first word: the tests that take minutes, and only those.
int main(int argc, char **argv)
{
    bool is_long = argc > 1 && !strcmp(argv[1], "long");
    MunitSuite suites[] = {
        { "/reinforce", train_reinforce_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/learn", train_learn_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite long_suites[] = {
        { "/learn", train_learn_long_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/train", NULL, is_long ? long_suites : suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc - is_long, argv + is_long);
}
