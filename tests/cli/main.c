#include "tests/cli/suites.h"

int main(int argc, char **argv)
{
    MunitSuite suites[] = {
        { "/flags", cli_flags_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/outputs", cli_outputs_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/cli", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
