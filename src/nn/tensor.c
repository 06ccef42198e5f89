#include "nn/tensor.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/error.h"

struct tensor tensor_allocate(struct arena *arena, int rank, ...)
{
    struct tensor tensor = { .rank = rank };
    va_list dims;
    va_start(dims, rank);
    for (int i = 0; i < rank; i++)
        tensor.dim[i] = va_arg(dims, uint32_t);
    va_end(dims);
    tensor.address = arena_allocate(arena, 4 * tensor_count(&tensor));
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
    return gpu_upload(gpu, to.address, from, 4 * tensor_count(&to));
}

bool tensor_download(struct gpu *gpu, void *to, struct tensor from)
{
    return gpu_download(gpu, to, from.address, 4 * tensor_count(&from));
}

struct gpu_part tensor_part(void *to, struct tensor from)
{
    return (struct gpu_part){ to, from.address, 4 * tensor_count(&from) };
}

struct tensor tensor_slice(struct tensor tensor, uint32_t first, uint32_t count)
{
    if (!tensor.address)
        return tensor;
    tensor.dim[0] = 1;
    tensor.address += 4ull * first * tensor_count(&tensor);
    tensor.dim[0] = count;
    return tensor;
}

const char *tensor_shape(const struct tensor *tensor, char text[TENSOR_SHAPE_TEXT])
{
    int used = snprintf(text, TENSOR_SHAPE_TEXT, "(");
    for (int i = 0; i < tensor->rank; i++)
        used += snprintf(text + used, TENSOR_SHAPE_TEXT - (size_t)used, "%s%u", i ? "," : "", tensor->dim[i]);
    snprintf(text + used, TENSOR_SHAPE_TEXT - (size_t)used, ")");
    return text;
}

void tensor_expect(const char *operation, const char *what, const struct tensor *tensor, int rank, ...)
{
    struct tensor required = { .rank = rank };
    va_list dims;
    va_start(dims, rank);
    bool same = rank == tensor->rank;
    for (int i = 0; i < rank; i++) {
        required.dim[i] = va_arg(dims, uint32_t);
        same = same && required.dim[i] == tensor->dim[i];
    }
    va_end(dims);
    if (same)
        return;
    char expected[TENSOR_SHAPE_TEXT], found[TENSOR_SHAPE_TEXT];
    bug("%s: %s must be %s, not %s", operation, what, tensor_shape(&required, expected), tensor_shape(tensor, found));
}
