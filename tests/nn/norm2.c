#include <math.h>
#include <string.h>

#include "fenced.h"
#include "shaders/args.h"
#include "suite.h"
#include "util/error.h"

struct rig {
    struct gpu *gpu;
    struct arena *arena;
    struct fenced x, part, norm;
    struct cmd *c;
};

static void rig_init(struct rig *rig, struct gpu *gpu, uint32_t count)
{
    *rig = (struct rig){ .gpu = gpu, .arena = arena_create(gpu, "norm2") };
    for (int pass = 0; pass < 2; pass++) {
        fenced_take(&rig->x, rig->arena, count);
        fenced_take(&rig->part, rig->arena, NORM2_PARTS);
        fenced_take(&rig->norm, rig->arena, 2);
        if (!pass)
            test_ok(arena_back(rig->arena));
    }
    fenced_upload(gpu, &rig->part);
    fenced_upload(gpu, &rig->norm);
    rig->c = cmd_create(gpu);
    nn_norm2(rig->c, rig->norm.tensor, rig->part.tensor, rig->x.tensor);
}

static void rig_finish(struct rig *rig)
{
    cmd_destroy(&rig->c);
    fenced_finish(&rig->x);
    fenced_finish(&rig->part);
    fenced_finish(&rig->norm);
    arena_destroy(&rig->arena);
}

static double run(struct rig *rig, uint32_t *finite)
{
    fenced_upload(rig->gpu, &rig->x);
    test_ok(cmd_run(rig->c));
    fenced_download(rig->gpu, &rig->part);
    fenced_download(rig->gpu, &rig->norm);
    memcpy(finite, &rig->norm.value[1], sizeof *finite);
    return rig->norm.value[0];
}

static void fill(struct rig *rig, double size)
{
    for (uint32_t i = 0; i < rig->x.tensor.dim[0]; i++)
        rig->x.value[i] = (float)(size * (2 * munit_rand_double() - 1));
}

static void expect_norm(struct rig *rig, double size)
{
    double sum = 0;
    uint32_t count = rig->x.tensor.dim[0], finite;
    fill(rig, size);
    for (uint32_t i = 0; i < count; i++)
        sum += (double)rig->x.value[i] * rig->x.value[i];
    double found = run(rig, &finite);
    munit_assert_uint32(finite, ==, 1);
    // At most some 600 terms follow each other in single precision (285 of a stretch on four lanes, 256 parts, and the
    // lanes), each with a rounding of 6e-8 of the sum: 4e-5 at worst, 2e-6 as they fall, and half of it in the root.
    // Squares of single precision end at 1e-38.
    if (fabs(found - sqrt(sum)) > 5e-6 * sqrt(sum) + 1e-19 * sqrt(count))
        munit_errorf("|x| is %.9g, should be %.9g (%u numbers up to %g)", found, sqrt(sum), count, size);
}

static void expect_refusal(struct rig *rig, float odd_one)
{
    uint32_t finite;
    fill(rig, 1);
    rig->x.value[munit_rand_uint32() % rig->x.tensor.dim[0]] = odd_one;
    run(rig, &finite);
    munit_assert_uint32(finite, ==, 0);
}

static MunitResult test_norm2(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    static const uint32_t counts[] = { 1, 2, 3, 31, 1009, 2049, 65537, 1167360, 0 };
    for (const uint32_t *count = counts; *count; count++) {
        struct rig rig;
        rig_init(&rig, gpu, *count);
        static const double sizes[] = { 1, 1e4, 1e-30, 1e-10, 0 };
        for (int i = 0; i < 5; i++)
            expect_norm(&rig, sizes[i]);
        static const float odd[] = { NAN, INFINITY, -INFINITY, 1e20f }; // the last one's square is too large
        for (int i = 0; i < 4; i++)
            expect_refusal(&rig, odd[i]);
        rig_finish(&rig);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

// The same list gives the same bytes, run after run.
static MunitResult test_same(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    struct rig rig;
    rig_init(&rig, gpu, 100003);
    fill(&rig, 1);
    uint32_t finite;
    double first = run(&rig, &finite);
    for (int i = 0; i < 5; i++)
        munit_assert_true(run(&rig, &finite) == first);
    rig_finish(&rig);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/norm2", test_norm2, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/same", test_same, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/norm2", tests)
