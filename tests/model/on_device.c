#include "tests/model/on_device.h"

int main(int argc, char **argv)
{
    MunitSuite suites[] = {
        { "/gradient", model_gradient_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/rollout", model_rollout_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/transfer", model_transfer_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/model", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
