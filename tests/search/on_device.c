#include "tests/search/support.h"

int main(int argc, char **argv)
{
    MunitSuite suites[] = {
        { "/beam", search_beam_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/pass", search_pass_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/search", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
