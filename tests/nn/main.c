#include "tests/nn/suites.h"

int main(int argc, char **argv)
{
    MunitSuite suites[] = {
        { "/copy", nn_copy_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/gather", nn_gather_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/mean", nn_mean_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/norm", nn_norm_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/rng", nn_rng_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/nn", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
