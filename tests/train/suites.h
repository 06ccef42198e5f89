#ifndef TESTS_TRAIN_SUITES_H
#define TESTS_TRAIN_SUITES_H

#include <munit.h>

#include "train/settings.h"

extern MunitTest train_baseline_tests[];
extern MunitTest train_checkpoint_tests[];
extern MunitTest train_curve_tests[];
extern MunitTest train_inherit_tests[];
extern MunitTest train_log_tests[];
extern MunitTest train_settings_tests[];
extern MunitTest train_sizes_tests[];
extern MunitTest train_state_tests[];

// Of a small model for a problem with 5 to 9 customers.
struct train_settings small_settings(const char *problem);

#endif
