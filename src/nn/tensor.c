#include "nn/tensor.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/error.h"

struct tensor tensor_take(struct arena *arena, int rank, ...)
{
    struct tensor tensor = { .rank = rank };
    va_list dims;
    va_start(dims, rank);
    for (int i = 0; i < rank; i++)
        tensor.dim[i] = va_arg(dims, uint32_t);
    va_end(dims);
    tensor.at = arena_take(arena, 4 * tensor_count(&tensor));
    return tensor;
}

uint64_t tensor_count(const struct tensor *tensor)
{
    uint64_t count = 1;
    for (int i = 0; i < tensor->rank; i++)
        count *= tensor->dim[i];
    return count;
}

uint32_t tensor_cols(const struct tensor *tensor)
{
    return tensor->dim[tensor->rank - 1];
}

uint64_t tensor_rows(const struct tensor *tensor)
{
    return tensor_cols(tensor) ? tensor_count(tensor) / tensor_cols(tensor) : 0;
}

bool tensor_upload(struct gpu *gpu, struct tensor to, const void *from)
{
    return gpu_upload(gpu, to.at, from, 4 * tensor_count(&to));
}

bool tensor_download(struct gpu *gpu, void *to, struct tensor from)
{
    return gpu_download(gpu, to, from.at, 4 * tensor_count(&from));
}

static void write_shape(char *text, size_t size, int rank, const uint32_t *dim)
{
    int used = snprintf(text, size, "(");
    for (int i = 0; i < rank; i++)
        used += snprintf(text + used, size - (size_t)used, "%s%u", i ? "," : "", dim[i]);
    snprintf(text + used, size - (size_t)used, ")");
}

void tensor_expect(const char *operation, const char *what, const struct tensor *tensor, int rank, ...)
{
    uint32_t dim[4] = { 0 };
    va_list dims;
    va_start(dims, rank);
    bool same = rank == tensor->rank;
    for (int i = 0; i < rank; i++) {
        dim[i] = va_arg(dims, uint32_t);
        same = same && dim[i] == tensor->dim[i];
    }
    va_end(dims);
    if (same)
        return;
    char expected[64], found[64];
    write_shape(expected, sizeof expected, rank, dim);
    write_shape(found, sizeof found, tensor->rank, tensor->dim);
    bug("%s: %s should be %s and is %s", operation, what, expected, found);
}
