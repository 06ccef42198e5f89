#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

// Sizes: rows of x, entries, D. The indices are random and repeat.
static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    in[0] = (struct slot){ "x", 2, { size[0], size[2] }, .weight = true };
    in[1] = (struct slot){ "index", 1, { size[1] }, VALUES_INDEX, size[0] };
    out[0] = (struct slot){ "y", 2, { size[1], size[2] } };
}

// Entry 2 of every test is absent.
static bool is_none(uint32_t i)
{
    return i == 2;
}

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    uint32_t D = size[2];
    for (uint32_t i = 0; i < size[1]; i++) {
        for (uint32_t d = 0; d < D; d++)
            out[0][i * D + d] = is_none(i) ? 0 : in[0][(uint32_t)in[1][i] * D + d];
    }
}

static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    if (size[1] > 2)
        cmd_fill(c, in[1].address + 8, 4, UINT32_MAX);
    nn_gather(c, out[0], in[0], in[1]);
}

static void backward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out,
    const struct tensor *dout, const struct tensor *din)
{
    (void)out;
    nn_gather_back_add(c, din[0], dout[0], in[1], size[1]);
}

static MunitResult test_gather(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 7, 5, 17 }, { 31, 100, 128 }, { 1, 1, 16 }, { 3, 67, 40 },
        { 200, 33, 512 }, { 0 } };
    return kernel_test(&(struct kernel_test){ .name = "gather",
                           .describe = describe,
                           .reference = reference,
                           .forward = forward,
                           .backward = backward,
                           // Sums of a few dozen values and 1; the forward copies.
                           .grad_tolerance = 1e-5,
                           .sizes = sizes,
                           .heap = 2 },
        params);
}

// Within runs of 3 entries indices repeat, between runs they differ; with run 1 all differ. Whole numbers make the sums
// exact.
static void check_runs(struct gpu *gpu, uint32_t run)
{
    enum { I = 45, R = 60, D = 24 };
    float dx[R * D], dy[I * D], expected[R * D];
    uint32_t index[I];
    for (uint32_t i = 0; i < R * D; i++)
        dx[i] = expected[i] = (float)(i % 13);
    for (uint32_t i = 0; i < I; i++)
        index[i] = i == 7 ? UINT32_MAX : (run == 1 ? 59 - i : i / run * run + (i % run) / 2);
    for (uint32_t i = 0; i < I * D; i++) {
        dy[i] = (float)(i % 101);
        if (index[i / D] != UINT32_MAX)
            expected[index[i / D] * D + i % D] += dy[i];
    }
    struct arena *arena = arena_create(gpu, "gather");
    struct tensor device[3];
    for (int pass = 0; pass < 2; pass++) {
        device[0] = tensor_allocate(arena, 2, R, D);
        device[1] = tensor_allocate(arena, 2, I, D);
        device[2] = tensor_allocate(arena, 1, I);
        if (!pass)
            test_ok(arena_back(arena));
    }
    test_ok(tensor_upload(gpu, device[0], dx) && tensor_upload(gpu, device[1], dy));
    test_ok(tensor_upload(gpu, device[2], index));
    struct cmd *c = cmd_create(gpu);
    nn_gather_back_add(c, device[0], device[1], device[2], run);
    test_ok(cmd_run(c) && tensor_download(gpu, dx, device[0]));
    munit_assert_memory_equal(sizeof dx, dx, expected);
    cmd_destroy(&c);
    arena_destroy(&arena);
}

static MunitResult test_runs(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    check_runs(gpu, 1);
    check_runs(gpu, 3);
    check_runs(gpu, 45);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/gather", test_gather, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/runs", test_runs, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/gather", tests)
