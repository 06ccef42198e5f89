#include "tests/gpu/suites.h"

int main(int argc, char **argv)
{
    MunitSuite suites[] = {
        { "/arena", gpu_arena_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/cache", gpu_cache_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/cmd", gpu_cmd_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/device", gpu_device_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/memory", gpu_memory_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/profile", gpu_profile_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/queue", gpu_queue_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/report", gpu_report_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/submit", gpu_submit_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/gpu", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
