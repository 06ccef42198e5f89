// A flat list of floats on the device with a fence of NaNs behind it, for tests of operations that work in place.
#ifndef TESTS_SUPPORT_FENCED_H
#define TESTS_SUPPORT_FENCED_H

#include "device.h"
#include "nn/nn.h"

struct fenced {
    struct tensor tensor; // (count)
    float *value;         // host copy
};

// Allocates; called twice, as every layout.
void fenced_take(struct fenced *list, struct arena *arena, uint32_t count);
void fenced_finish(struct fenced *list);

void fenced_upload(struct gpu *gpu, struct fenced *list);
void fenced_download(struct gpu *gpu, struct fenced *list); // ends the test when the fence is damaged

#endif
