#ifndef TESTS_NN_SUITES_H
#define TESTS_NN_SUITES_H

#include <munit.h>

extern MunitTest nn_attention_tests[];
extern MunitTest nn_copy_tests[];
extern MunitTest nn_reattend_tests[];
extern MunitTest nn_rng_tests[];

#endif
