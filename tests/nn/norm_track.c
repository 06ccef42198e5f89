// Statistics that follow those of batches.
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "rows.h"
#include "suite.h"
#include "util/error.h"

// Sizes: segments, max rows, D, ragged, groups. The groups update the same entry one after the other.
static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    struct rows rows = { .S = size[0], .N = size[1], .ragged = size[3] };
    in[0] = (struct slot){ "before", 2, { 2, size[2] } };
    in[1] = (struct slot){ "stats", 3, { size[4], 2, size[2] } };
    rows_describe(&rows, &in[2], &in[3]);
    out[0] = (struct slot){ "tracked", 2, { 2, size[2] } };
}

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    struct rows rows = { .S = size[0], .N = size[1], .ragged = size[3] };
    uint32_t D = size[2], G = size[4], per = rows.S / G;
    memcpy(out[0], in[0], 2 * D * sizeof(double));
    for (uint32_t g = 0; g < G; g++) {
        double n = 0;
        for (uint32_t s = g * per; s < (g + 1) * per; s++)
            n += rows_of(&rows, s);
        for (uint32_t i = 0; n > 0 && i < 2 * D; i++) {
            double unbiased = i < D || n < 2 ? 1 : n / (n - 1);
            out[0][i] += 0.1 * (in[1][2 * g * D + i] * unbiased - out[0][i]);
        }
    }
}

static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    struct rows rows = { .S = size[0], .N = size[1], .ragged = size[3] };
    struct norm norm = {
        .mode = NORM_BATCH, .seg = rows_segments(c, &rows, in[2], in[3]), .G = size[4], .stats = in[1]
    };
    nn_copy(c, out[0], in[0]);
    for (uint32_t g = 0; g < norm.G; g++)
        nn_norm_track(c, out[0], &norm, g, 0.1f);
}

static MunitResult test_track(const MunitParameter params[], void *data)
{
    (void)data;
    // In the ragged ones some group has no row at all.
    static const uint32_t sizes[][SIZES] = { { 1, 1, 16, 0, 1 }, { 6, 21, 128, 0, 3 }, { 40, 4, 17, 1, 40 },
        { 100, 7, 48, 1, 5 }, { 0 } };
    return kernel_test(&(struct kernel_test){ .name = "norm_track",
                           .describe = describe,
                           .reference = reference,
                           .forward = forward,
                           .tolerance = 1e-5, // 40 steps of a few roundings each
                           .sizes = sizes },
        params);
}

// A batch without finite statistics leaves the tracked ones as they are.
static MunitResult test_bad(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    enum { D = 18 };
    float stats[2 * D], tracked[2 * D];
    struct arena *arena = arena_create(gpu, "tracked");
    struct tensor from, to;
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            test_ok(arena_back(arena));
        from = tensor_allocate(arena, 3, 1u, 2u, (uint32_t)D), to = tensor_allocate(arena, 2, 2u, (uint32_t)D);
    }
    for (uint32_t i = 0; i < 2 * D; i++) {
        stats[i] = i == 0 ? NAN : i == D + 5 ? INFINITY : 2;
        tracked[i] = 1;
    }
    struct norm norm = { .mode = NORM_BATCH, .seg = { .S = 1, .N = 5 }, .G = 1, .stats = from };
    struct cmd *c = cmd_create(gpu);
    nn_norm_track(c, to, &norm, 0, 0.1f);
    test_ok(tensor_upload(gpu, from, stats) && tensor_upload(gpu, to, tracked) && cmd_run(c) &&
            tensor_download(gpu, tracked, to));
    for (uint32_t i = 0; i < D; i++) { // two neighbouring channels go together
        munit_assert_true(isfinite(tracked[i]) && isfinite(tracked[D + i]));
        munit_assert_int(tracked[i] > 1, ==, i / 2 != 0 && i / 2 != 2);
    }
    cmd_destroy(&c);
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/track", test_track, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/bad", test_bad, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/norm_track", tests)
