#include "tests/mdam/suites.h"

int main(int argc, char **argv)
{
    MunitSuite suites[] = {
        { "/locale", mdam_locale_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/solve", mdam_solve_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/train", mdam_train_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/mdam", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
