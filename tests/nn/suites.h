#ifndef TESTS_NN_SUITES_H
#define TESTS_NN_SUITES_H

#include <munit.h>

extern MunitTest nn_adam_tests[];
extern MunitTest nn_choose_tests[];
extern MunitTest nn_collect_tests[];
extern MunitTest nn_compact_tests[];
extern MunitTest nn_context_tests[];
extern MunitTest nn_copy_tests[];
extern MunitTest nn_fold_tests[];
extern MunitTest nn_gather_tests[];
extern MunitTest nn_kl_tests[];
extern MunitTest nn_linear_tests[];
extern MunitTest nn_mean_tests[];
extern MunitTest nn_norm2_tests[];
extern MunitTest nn_norm_tests[];
extern MunitTest nn_norm_track_tests[];
extern MunitTest nn_pointer_tests[];
extern MunitTest nn_pointer_alone_tests[];
extern MunitTest nn_query_tests[];
extern MunitTest nn_attention_tests[];
extern MunitTest nn_copy_tests[];
extern MunitTest nn_reattend_tests[];
extern MunitTest nn_rng_tests[];

#endif
