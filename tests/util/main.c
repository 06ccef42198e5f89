#include "tests/util/suites.h"

int main(int argc, char **argv)
{
    MunitSuite suites[] = {
        { "/error", util_error_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/file", util_file_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/hash", util_hash_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/rng", util_rng_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/scan", util_scan_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/spelling", util_spelling_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/statistics", util_statistics_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/text", util_text_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/util", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
