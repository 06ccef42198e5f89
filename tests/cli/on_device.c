#include "tests/cli/on_device.h"

int main(int argc, char **argv)
{
    MunitSuite suites[] = {
        { "/bench", cli_bench_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/decoding", cli_decoding_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/devices", cli_devices_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/eval", cli_eval_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/solve", cli_solve_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/solve-broken", cli_solve_broken_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/cli", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
