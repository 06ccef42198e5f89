#include "tests/problem/suites.h"

int main(int argc, char **argv)
{
#define SUITE(stem) { "/" #stem, problem_##stem##_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
    MunitSuite suites[] = { PROBLEM_SUITES(SUITE){ NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE } };
    MunitSuite all = { "/problem", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
