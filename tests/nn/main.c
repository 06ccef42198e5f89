#include "tests/nn/suites.h"

int main(int argc, char **argv)
{
    MunitSuite suites[] = {
        { "/attention", nn_attention_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/copy", nn_copy_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/reattend", nn_reattend_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/rng", nn_rng_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/nn", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
