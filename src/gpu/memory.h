// Blocks of device memory, for arenas.
#ifndef GPU_MEMORY_H
#define GPU_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct block;
struct gpu;

uint64_t gpu_block_limit(const struct gpu *gpu); // max size of a block
// Returns NULL, or the reason why there is no such block.
const char *gpu_block_create(struct gpu *gpu, struct block **block, uint64_t bytes, const char *name);
void gpu_block_destroy(struct gpu *gpu, struct block *block);

#endif
