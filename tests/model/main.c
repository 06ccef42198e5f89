#include "tests/model/suites.h"

int main(int argc, char **argv)
{
#define SUITE(stem) { "/" #stem, model_##stem##_tests, NULL, 1, MUNIT_SUITE_OPTION_NONE },
    MunitSuite suites[] = { MODEL_SUITES(SUITE){ NULL, NULL, NULL, 0, MUNIT_SUITE_OPTION_NONE } };
    MunitSuite all = { "/model", NULL, suites, 1, MUNIT_SUITE_OPTION_NONE };
    return munit_suite_main(&all, NULL, argc, argv);
}
