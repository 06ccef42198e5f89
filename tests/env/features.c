// The network's features of each problem's nodes.
#include <stdlib.h>
#include <string.h>

#include "env/rules.h"
#include "shaders/args.h"
#include "suite.h"
#include "tests/env/support.h"
#include "util/alloc.h"
#include "util/error.h"

static void expect_row(const struct scaled *s, uint32_t i, const float *f)
{
    float expected[FEATURES] = { 0 };
    const float *at = i < s->N ? &s->coords[2 * i] : NULL;
    if (at && s->problem->has_depot && i == 0) {
        memcpy(expected, (float[]){ at[0], at[1], 1 }, 3 * sizeof *expected);
    } else if (at) {
        float third = s->share ? s->share[i] : s->prize ? s->prize[i] : 0;
        memcpy(expected + 3, (float[]){ at[0], at[1], third, s->penalty ? s->penalty[i] : 0, 1 }, 5 * sizeof *expected);
    }
    munit_assert_memory_equal(sizeof expected, f, expected);
}

static MunitResult test_rows(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    const struct problem *problem = problem_by_name(munit_parameters_get(params, "problem"));
    enum { B = 9 };
    const uint32_t n = 37, N = n + problem->has_depot;
    struct scaled scaled[B];
    for (uint32_t b = 0; b < B; b++) {
        struct instance instance;
        problem->generate(&instance, &(struct distribution){ .n_min = 1, .n_max = n }, 5, b);
        scaled_init(&scaled[b], &instance);
        instance_finish(&instance);
    }
    struct arena *arena = arena_create(gpu, "features");
    struct batch batch;
    struct tensor f;
    for (int pass = 0; pass < 2; pass++) {
        batch_layout(&batch, arena, problem, B, N, BATCH_PLAIN);
        f = tensor_allocate(arena, 2, B * N, FEATURES);
        if (!pass)
            test_ok(arena_back(arena));
    }
    struct cmd *c = cmd_create(gpu);
    batch_features(c, f, &batch);
    test_ok(batch_upload(gpu, &batch, 0, scaled, B) && cmd_run(c));
    float *found = xcalloc(B * N, FEATURES * sizeof *found);
    test_ok(tensor_download(gpu, found, f));
    for (uint32_t i = 0; i < B * N; i++)
        expect_row(&scaled[i / N], i % N, found + (size_t)i * FEATURES);
    for (uint32_t b = 0; b < B; b++)
        scaled_finish(&scaled[b]);
    free(found);
    cmd_destroy(&c);
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/rows", test_rows, NULL, NULL, MUNIT_TEST_OPTION_NONE, env_parameters },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/env/features", tests)
