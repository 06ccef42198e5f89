// A tensor is an address in device memory and a shape; the last dimension is contiguous, with 4 bytes per element.
#ifndef NN_TENSOR_H
#define NN_TENSOR_H

#include <stdint.h>

#include "gpu/gpu.h"

struct tensor {
    uint64_t address;
    int rank;
    uint32_t dim[4];
};

// Allocates a tensor of RANK dimensions, e.g. tensor_allocate(arena, 3, B, N, D).
struct tensor tensor_allocate(struct arena *arena, int rank, ...);

uint64_t tensor_count(const struct tensor *tensor);
uint32_t tensor_cols(const struct tensor *tensor); // the last dimension
uint64_t tensor_rows(const struct tensor *tensor); // product of all others
// Returns `count` entries of the first dimension from `first` on; without an address, no tensor.
struct tensor tensor_slice(struct tensor tensor, uint32_t first, uint32_t count);

// Writes "(5,128,384)" to the caller's buffer.
#define TENSOR_SHAPE_TEXT 64
const char *tensor_shape(const struct tensor *tensor, char text[TENSOR_SHAPE_TEXT]);

bool tensor_upload(struct gpu *gpu, struct tensor to, const void *from);
bool tensor_download(struct gpu *gpu, void *to, struct tensor from);
struct gpu_part tensor_part(void *to, struct tensor from); // for gpu_download_parts()

// A wrong shape is a bug: aborts naming the operation and both shapes.
void tensor_expect(const char *operation, const char *what, const struct tensor *tensor, int rank, ...);

#endif
