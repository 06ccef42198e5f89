#include <string.h>

#include "tests/cli/training.h"

// With "long" as the first word: the tests that take minutes, and only those.
int main(int argc, char **argv)
{
    bool is_long = argc > 1 && !strcmp(argv[1], "long");
    MunitSuite suites[] = {
        { "", is_long ? NULL : train_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/broken", is_long ? train_broken_long_tests : train_broken_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/train", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc - is_long, argv + is_long);
}
