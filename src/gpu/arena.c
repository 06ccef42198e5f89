// Arenas: a layout is counted, backed by as many blocks as the device's limits require, and allocated in the same
// order.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"
#include "gpu/memory.h"
#include "util/alloc.h"
#include "util/divide.h"
#include "util/error.h"

struct arena {
    struct gpu *gpu;
    char *name;
    bool backed;
    uint64_t *sizes;       // stb_ds array: bytes of each block, as counted
    struct block **blocks; // stb_ds array
    ptrdiff_t current;     // the block in use
    uint64_t used;         // bytes of it
    uint64_t largest;      // single allocation
};

struct arena *arena_create(struct gpu *gpu, const char *name)
{
    struct arena *arena = xcalloc(1, sizeof *arena);
    arena->gpu = gpu;
    arena->name = xstrdup(name);
    return arena;
}

static void free_blocks(struct arena *arena)
{
    // The memory must not be in use, nor a staged upload on the way to it.
    if (arrlen(arena->blocks) > 0)
        gpu_uploads_finish(arena->gpu);
    for (ptrdiff_t i = 0; i < arrlen(arena->blocks); i++)
        gpu_block_destroy(arena->gpu, arena->blocks[i]);
    arrfree(arena->blocks);
}

void arena_destroy(struct arena **slot)
{
    struct arena *arena = *slot;
    if (!arena)
        return;
    free_blocks(arena);
    arrfree(arena->sizes);
    free(arena->name);
    free(arena);
    *slot = NULL;
}

static uint64_t count(struct arena *arena, uint64_t bytes)
{
    uint64_t limit = gpu_block_limit(arena->gpu);
    if (bytes > arena->largest)
        arena->largest = bytes;
    if (arrlen(arena->sizes) == 0 || arrlast(arena->sizes) > limit || bytes > limit - arrlast(arena->sizes))
        arrput(arena->sizes, 0);
    uint64_t at = arrlast(arena->sizes);
    arrlast(arena->sizes) += bytes;
    return at + GPU_ALIGNMENT; // not a real address, but never 0
}

uint64_t arena_allocate(struct arena *arena, uint64_t bytes)
{
    if (bytes > UINT64_MAX / 4) // a size that overflowed before
        bug("arena %s: allocation of %llu bytes", arena->name, (unsigned long long)bytes);
    bytes = bytes ? round_up(bytes, GPU_ALIGNMENT) : GPU_ALIGNMENT;
    if (!arena->backed)
        return count(arena, bytes);
    if (arena->current < arrlen(arena->sizes) && arena->used + bytes > arena->sizes[arena->current]) {
        arena->current++;
        arena->used = 0;
    }
    if (arena->current >= arrlen(arena->sizes) || bytes > arena->sizes[arena->current])
        bug("arena %s: allocation of %llu bytes that was not counted", arena->name, (unsigned long long)bytes);
    uint64_t at = arena->blocks[arena->current]->address + arena->used;
    arena->used += bytes;
    return at;
}

uint64_t arena_bytes(const struct arena *arena)
{
    uint64_t bytes = 0;
    for (ptrdiff_t i = 0; i < arrlen(arena->sizes); i++)
        bytes += arena->sizes[i];
    return bytes;
}

bool arena_possible(const struct arena *arena)
{
    return arena->largest <= gpu_block_limit(arena->gpu);
}

// A GPU's memory may hold what other programs left there, a CPU driver's is mostly 0.
static void soil(struct block *block)
{
    const uint32_t nan = 0x7fedd1e7;
    for (uint64_t i = 0; block->mapped && i < block->bytes / sizeof nan; i++)
        memcpy(block->mapped + i * sizeof nan, &nan, sizeof nan);
}

static bool create_blocks(struct arena *arena)
{
    struct gpu *gpu = arena->gpu;
    if (!gpu_wait(gpu, 0)) // a lost device has no memory
        return false;
    for (ptrdiff_t i = 0; i < arrlen(arena->sizes); i++) {
        struct block *block;
        const char *why = gpu_block_create(gpu, &block, arena->sizes[i], arena->name);
        if (why) {
            free_blocks(arena);
            return fail(FAULT_DEVICE, "%s: %s needs %llu bytes of device memory, %llu are available (%s)",
                gpu_info(gpu)->name, arena->name, (unsigned long long)arena_bytes(arena),
                (unsigned long long)gpu_memory_left(gpu), why);
        }
        arrput(arena->blocks, block);
        if (gpu->options.dirty)
            soil(block);
    }
    return true;
}

bool arena_back(struct arena *arena)
{
    if (arena->backed)
        bug("arena %s is backed already", arena->name);
    if (!arena_possible(arena))
        return fail(FAULT_DEVICE, "%s: %s needs %llu bytes in one piece, the device allows %llu",
            gpu_info(arena->gpu)->name, arena->name, (unsigned long long)arena->largest,
            (unsigned long long)gpu_block_limit(arena->gpu));
    if (arena->gpu->options.dry) // addresses are not real
        return true;
    if (!create_blocks(arena))
        return false;
    arena->backed = true;
    arena->current = 0;
    arena->used = 0;
    return true;
}
