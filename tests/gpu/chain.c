#include "tests/gpu/chain.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/error.h"

void chain_make(struct chain *chain, struct gpu *gpu)
{
    *chain = (struct chain){ .gpu = gpu, .arena = arena_create(gpu, "chain"), .cmd = cmd_create(gpu) };
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i <= CHAIN_LINKS; i++)
            chain->at[i] = tensor_allocate(chain->arena, 1, CHAIN_COUNT);
        if (!pass)
            test_ok(arena_back(chain->arena));
    }
    for (int i = 0; i < CHAIN_LINKS; i++) {
        cmd_label(chain->cmd, "link/%d", i * CHAIN_LABELS / CHAIN_LINKS);
        nn_copy(chain->cmd, chain->at[i + 1], chain->at[i]);
    }
}

void chain_finish(struct chain *chain)
{
    cmd_destroy(&chain->cmd);
    munit_assert_null(chain->cmd);
    arena_destroy(&chain->arena);
    munit_assert_null(chain->arena);
    gpu_close(&chain->gpu);
    munit_assert_null(chain->gpu);
}

bool chain_fill(const struct chain *chain, uint32_t number[CHAIN_COUNT])
{
    for (int i = 0; i < CHAIN_COUNT; i++)
        number[i] = munit_rand_uint32();
    return tensor_upload(chain->gpu, chain->at[0], number);
}

void chain_expect(const struct chain *chain, const uint32_t number[CHAIN_COUNT])
{
    uint32_t *found = xcalloc(CHAIN_COUNT, sizeof *found);
    test_ok(tensor_download(chain->gpu, found, chain->at[CHAIN_LINKS]));
    munit_assert_memory_equal(CHAIN_COUNT * sizeof *found, found, number);
    free(found);
}
