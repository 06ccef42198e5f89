// The tests of the problem layer that need a device.
#ifndef TESTS_PROBLEM_ON_DEVICE_H
#define TESTS_PROBLEM_ON_DEVICE_H

#include "device.h"

extern MunitParameterEnum test_problems[]; // every problem in every flavour
extern MunitTest problem_draw_tests[];
extern MunitTest problem_features_tests[];
extern MunitTest problem_rules_tests[];

#endif
