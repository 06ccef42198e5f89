#ifndef TESTS_MODEL_SUITES_H
#define TESTS_MODEL_SUITES_H

#include "expect.h"

// Every file of tests that needs no device: <stem>.c defines model_<stem>_tests.
#define MODEL_SUITES(X)                                                                                                \
    X(fit)                                                                                                             \
    X(import)                                                                                                          \
    X(initial)                                                                                                         \
    X(parity)                                                                                                          \
    X(pickle)                                                                                                          \
    X(reference)                                                                                                       \
    X(safetensors)                                                                                                     \
    X(torch)                                                                                                           \
    X(weights)                                                                                                         \
    X(zip)

#define MODEL_DECLARE(stem) extern MunitTest model_##stem##_tests[];
MODEL_SUITES(MODEL_DECLARE)

#endif
