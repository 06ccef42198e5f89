#include "tests/problem/on_device.h"

static char *names[] = { "tsp", "cvrp", "sdvrp", "op", "pctsp", "spctsp", NULL };
static char *flavours[] = { "wide", "address", "heap", NULL };
MunitParameterEnum test_problems[] = { { "problem", names }, { "flavour", flavours }, { NULL, NULL } };

int main(int argc, char **argv)
{
    MunitSuite suites[] = {
        { "/draw", problem_draw_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/features", problem_features_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { "/rules", problem_rules_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
        { NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE },
    };
    MunitSuite all = { "/problem", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
