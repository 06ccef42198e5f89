#ifndef TESTS_MDAM_SUITES_H
#define TESTS_MDAM_SUITES_H

#include "expect.h"
#include "mdam/mdam.h"

extern MunitTest mdam_instances_tests[];
extern MunitTest mdam_locale_tests[]; // on a device
extern MunitTest mdam_model_tests[];
extern MunitTest mdam_solve_tests[]; // likewise
extern MunitTest mdam_train_tests[]; // likewise

#endif
