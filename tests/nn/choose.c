#include "kernel.h"
#include "tests/nn/suites.h"
MunitTest nn_choose_tests[] = { { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL } };
