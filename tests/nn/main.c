#include "tests/nn/suites.h"

int main(int argc, char **argv)
{
    MunitSuite suites[] = {
        { "/adam", nn_adam_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/choose", nn_choose_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/collect", nn_collect_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/compact", nn_compact_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/context", nn_context_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/copy", nn_copy_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/fold", nn_fold_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/gather", nn_gather_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/kl", nn_kl_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/linear", nn_linear_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/mean", nn_mean_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/norm", nn_norm_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/norm-track", nn_norm_track_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/norm2", nn_norm2_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/pointer", nn_pointer_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/pointer-alone", nn_pointer_alone_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/query", nn_query_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/attention", nn_attention_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/reattend", nn_reattend_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/rng", nn_rng_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/nn", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
