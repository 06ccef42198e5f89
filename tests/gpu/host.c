// What of the device layer needs no device.
#include "tests/gpu/suites.h"

int main(int argc, char **argv)
{
    MunitSuite suites[] = {
        { "/arguments", gpu_arguments_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/gpu", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
