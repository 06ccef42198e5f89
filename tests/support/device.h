// A device for a test: the one the environment selects (tools/on), with the target that the parameter names.
#ifndef TESTS_SUPPORT_DEVICE_H
#define TESTS_SUPPORT_DEVICE_H

#include <munit.h>

#include "gpu/gpu.h"

// Parameters for tests that run in every target; MunitTest.parameters. MDAM_VK_TEST_TARGETS in the environment, e.g.
// "gpu cpu", leaves the others out.
extern MunitParameterEnum test_targets[];
extern char *test_target_names[]; // ends with NULL

// Opens the device, or ends the test: as failed, or as skipped where the device has no such target.
#define TEST_GPU(gpu, params)                                                                                          \
    struct gpu *gpu = NULL;                                                                                            \
    do {                                                                                                               \
        if (!test_gpu_open(&gpu, params))                                                                              \
            return MUNIT_SKIP;                                                                                         \
    } while (0)
bool test_gpu_open(struct gpu **gpu, const MunitParameter params[]);
// The same with other options; the target is filled in.
bool test_gpu_open_with(struct gpu **gpu, const MunitParameter params[], struct gpu_options options);

// For calls that must succeed; a failure shows the recorded message.
#define test_ok(expression)                                                                                            \
    do {                                                                                                               \
        if (!(expression))                                                                                             \
            munit_errorf("%s: %s", #expression, error_text());                                                         \
    } while (0)

#endif
