#include "util/rng.h"

#include <stdlib.h>

#include "device.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

// Host and device draw the same words.
static MunitResult test_rng(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    const uint32_t count = 1003;
    struct rng rng = { 0x123456789abcdef0u, RNG_SAMPLE, 4000000000u, 3 };
    struct arena *arena = arena_create(gpu, "draws");
    struct tensor to = tensor_allocate(arena, 2, count, 4);
    test_ok(arena_back(arena));
    to = tensor_allocate(arena, 2, count, 4);
    struct cmd *c = cmd_create(gpu);
    nn_rng(c, to, rng.seed, rng.purpose, rng.instance, rng.decoder);
    test_ok(cmd_run(c));
    uint32_t *found = xcalloc(count, 16);
    test_ok(tensor_download(gpu, found, to));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t expected[4];
        rng_draw(&rng, i, expected);
        munit_assert_memory_equal(sizeof expected, found + 4 * i, expected);
    }
    free(found);
    cmd_destroy(&c);
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/twin", test_rng, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/rng", tests)
