// A kernel whose argument struct is longer than push constants are.
#include <stdlib.h>

#include "device.h"
#include "far.spv.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

#include "tests/gpu/chain.h"
#include "tests/gpu/far_args.h"

static const struct kernel far = KERNEL(far);

enum { COUNT = 100, CALLS = 150 }; // more calls than one piece of memory has room for

// Every call has other arguments and leaves another tensor out; the recording runs twice, and between the calls are
// some whose arguments are push constants.
static MunitResult test_far(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    struct arena *arena = arena_create(gpu, "far");
    struct tensor from, to, copy;
    for (int pass = 0; pass < 2; pass++) {
        from = tensor_allocate(arena, 2, FAR_TERMS, COUNT);
        to = tensor_allocate(arena, 2, CALLS, COUNT);
        copy = tensor_allocate(arena, 2, CALLS, COUNT);
        test_ok(pass || arena_back(arena));
    }
    struct cmd *c = cmd_create(gpu);
    for (uint32_t call = 0; call < CALLS; call++) {
        struct far_args args = { .to = to.address + 4ull * call * COUNT, .count = COUNT };
        for (uint32_t k = 0; k < FAR_TERMS; k++) {
            args.from[k] = k == call % FAR_TERMS ? 0 : from.address + 4ull * k * COUNT;
            args.factor[k] = (float)(call + k);
        }
        cmd_dispatch(c, &(struct dispatch){ .kernel = &far, .args = &args, .workers = cmd_workers(c, COUNT) });
        if (call % 7 == 0)
            nn_copy(c, copy, to);
    }
    nn_copy(c, copy, to);
    float *values = xcalloc(FAR_TERMS * COUNT, sizeof *values), *found = xcalloc(CALLS * COUNT, sizeof *found);
    for (int run = 0; run < 2; run++) {
        for (int i = 0; i < FAR_TERMS * COUNT; i++)
            values[i] = (float)munit_rand_int_range(-9, 9);
        test_ok(tensor_upload(gpu, from, values) && cmd_run(c) && tensor_download(gpu, found, copy));
        for (int i = 0; i < CALLS * COUNT; i++) {
            int call = i / COUNT;
            float sum = 0; // whole numbers, which are exact in any order
            for (int k = 0; k < FAR_TERMS; k++)
                sum += k == call % FAR_TERMS ? 0 : (float)(call + k) * values[k * COUNT + i % COUNT];
            if (found[i] != sum)
                munit_errorf("call %d, element %d: %g in place of %g", call, i % COUNT, (double)found[i], (double)sum);
        }
    }
    free(values), free(found);
    cmd_destroy(&c);
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Arguments lie in memory of their own: a recording ends while others run, and waits for none of them.
static MunitResult test_no_wait(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    enum { RUNS = 50 };
    struct chain chain;
    struct cmd *c = cmd_create(gpu);
    uint32_t number[CHAIN_COUNT];
    chain_make(&chain, gpu);
    test_ok(chain_fill(&chain, number));
    struct far_args args = { .to = chain.at[0].address, .count = 1 };
    for (uint32_t k = 0; k < FAR_TERMS; k++)
        args.from[k] = chain.at[1].address;
    cmd_dispatch(c, &(struct dispatch){ .kernel = &far, .args = &args, .workers = 1 });
    for (int run = 0; run < RUNS; run++)
        test_ok(cmd_submit(chain.cmd));
    test_ok(cmd_submit(c));
    munit_assert_uint64(gpu_counts(gpu).waits + gpu_counts(gpu).paces, ==, 0);
    cmd_destroy(&c);
    chain_expect(&chain, number);
    chain_finish(&chain);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/arguments", test_far, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/no-wait", test_no_wait, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/gpu/far", tests)
