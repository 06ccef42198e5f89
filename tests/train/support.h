#ifndef TESTS_TRAIN_SUPPORT_H
#define TESTS_TRAIN_SUPPORT_H

#include "train/settings.h"

// Settings of a small model for a problem with 5 to 9 customers.
struct train_settings small_settings(const char *problem);

#endif
