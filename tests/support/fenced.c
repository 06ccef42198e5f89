#include "fenced.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/error.h"

enum { FENCE = 64 };
static const uint32_t fence_bits = 0x7fe5a5a5; // a NaN, so that a stray read shows as well

void fenced_take(struct fenced *list, struct arena *arena, uint32_t count)
{
    struct tensor whole = tensor_allocate(arena, 1, count + FENCE);
    list->tensor = (struct tensor){ whole.address, 1, { count } };
    if (!list->value)
        list->value = xcalloc(count + FENCE, sizeof(float));
}

void fenced_finish(struct fenced *list)
{
    free(list->value);
    *list = (struct fenced){ 0 };
}

static size_t bytes(const struct fenced *list)
{
    return (list->tensor.dim[0] + (size_t)FENCE) * sizeof(float);
}

void fenced_upload(struct gpu *gpu, struct fenced *list)
{
    for (uint32_t i = 0; i < FENCE; i++)
        memcpy(&list->value[list->tensor.dim[0] + i], &fence_bits, sizeof fence_bits);
    test_ok(gpu_upload(gpu, list->tensor.address, list->value, bytes(list)));
}

void fenced_download(struct gpu *gpu, struct fenced *list)
{
    test_ok(gpu_download(gpu, list->value, list->tensor.address, bytes(list)));
    for (uint32_t i = 0; i < FENCE; i++) {
        if (memcmp(&list->value[list->tensor.dim[0] + i], &fence_bits, sizeof fence_bits))
            munit_errorf("written %u floats behind the end of %u", i + 1, list->tensor.dim[0]);
    }
}
