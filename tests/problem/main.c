#include "tests/problem/suites.h"

int main(int argc, char **argv)
{
    MunitSuite suites[] = {
        { "/describe", problem_describe_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/metric", problem_metric_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/plot", problem_plot_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/route_text", problem_route_text_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/tsplib", problem_tsplib_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/problem", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
