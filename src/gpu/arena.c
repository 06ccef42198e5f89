// Arenas: a layout is counted, backed by as many blocks as the device's limits ask for, and handed out again in the
// same order.
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"
#include "gpu/memory.h"
#include "util/alloc.h"
#include "util/error.h"

enum { ALIGNMENT = 256 };

struct arena {
    struct gpu *gpu;
    char *name;
    bool backed;
    uint64_t *wanted;      // stb_ds array: bytes of each block, as counted
    struct block **blocks; // stb_ds array
    ptrdiff_t current;     // the block being handed out
    uint64_t used;         // bytes of it
    uint64_t largest;      // single take
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
    arrfree(arena->wanted);
    free(arena->name);
    free(arena);
    *slot = NULL;
}

static uint64_t count(struct arena *arena, uint64_t bytes)
{
    uint64_t limit = gpu_block_limit(arena->gpu);
    if (bytes > arena->largest)
        arena->largest = bytes;
    if (arrlen(arena->wanted) == 0 || arrlast(arena->wanted) + bytes > limit)
        arrput(arena->wanted, 0);
    uint64_t at = arrlast(arena->wanted);
    arrlast(arena->wanted) += bytes;
    return at + ALIGNMENT; // made up, but never 0
}

uint64_t arena_take(struct arena *arena, uint64_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes == 0)
        bytes = ALIGNMENT;
    if (!arena->backed)
        return count(arena, bytes);
    if (arena->current < arrlen(arena->wanted) && arena->used + bytes > arena->wanted[arena->current]) {
        arena->current++;
        arena->used = 0;
    }
    if (arena->current >= arrlen(arena->wanted) || bytes > arena->wanted[arena->current])
        bug("arena %s: %llu bytes taken that were not counted", arena->name, (unsigned long long)bytes);
    uint64_t at = arena->blocks[arena->current]->at + arena->used;
    arena->used += bytes;
    return at;
}

uint64_t arena_bytes(const struct arena *arena)
{
    uint64_t bytes = 0;
    for (ptrdiff_t i = 0; i < arrlen(arena->wanted); i++)
        bytes += arena->wanted[i];
    return bytes;
}

// Memory from an earlier shape serves again when every block is large enough.
static bool fits(const struct arena *arena)
{
    if (arrlen(arena->blocks) < arrlen(arena->wanted))
        return false;
    for (ptrdiff_t i = 0; i < arrlen(arena->wanted); i++) {
        if (arena->blocks[i]->bytes < arena->wanted[i])
            return false;
    }
    return true;
}

bool arena_back(struct arena *arena)
{
    if (arena->backed)
        bug("arena %s is backed already", arena->name);
    if (arena->largest > gpu_block_limit(arena->gpu))
        return fail(FAULT_DEVICE, "%s: %s needs %llu bytes in one piece, the device allows %llu",
            gpu_info(arena->gpu)->name, arena->name, (unsigned long long)arena->largest,
            (unsigned long long)gpu_block_limit(arena->gpu));
    if (!fits(arena)) {
        if (!gpu_wait(arena->gpu, arena->gpu->submitted, arena->name)) // nothing may still use the old memory
            return false;
        free_blocks(arena);
        for (ptrdiff_t i = 0; i < arrlen(arena->wanted); i++) {
            struct block *block;
            if (!gpu_block_create(arena->gpu, &block, arena->wanted[i], arena->name)) {
                free_blocks(arena);
                return false;
            }
            arrput(arena->blocks, block);
        }
    }
    arena->backed = true;
    arena->current = 0;
    arena->used = 0;
    return true;
}

void arena_reset(struct arena *arena)
{
    arena->backed = false;
    arena->largest = 0;
    arrsetlen(arena->wanted, 0);
}
