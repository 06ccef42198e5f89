#ifndef TESTS_TRAIN_ON_DEVICE_H
#define TESTS_TRAIN_ON_DEVICE_H

#include <munit.h>

extern MunitTest train_learn_tests[];
extern MunitTest train_learn_long_tests[];
extern MunitTest train_reinforce_tests[];

#endif
