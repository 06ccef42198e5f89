#ifndef TESTS_MODEL_ON_DEVICE_H
#define TESTS_MODEL_ON_DEVICE_H

#include <munit.h>

extern MunitTest model_gradient_tests[], model_rollout_tests[], model_transfer_tests[];

#endif
