// The decoder's context against a plain gather, dense and compact, and its gradient against a plain scatter.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

enum { M = 2, B = 5, S = 3, T = M * B * S, N = 37, W = 2, D = 24, ROWS = T * N };

struct host {
    uint32_t state[T * RULES_STATE], instance[T], relevant[T * W], first[T];
    float h[ROWS * D], scalar[T], placeholder[2 * D], dctx[T * 2 * D];
};

struct device {
    struct tensor state, scalar, placeholder, instance, relevant, first, h, ctx, dh, dplaceholder, dctx;
};

static void layout(struct device *d, struct arena *arena, uint32_t C)
{
    d->state = tensor_allocate(arena, 2, T, RULES_STATE);
    d->scalar = tensor_allocate(arena, 1, T);
    d->placeholder = tensor_allocate(arena, 1, 2 * D);
    d->instance = tensor_allocate(arena, 1, T);
    d->relevant = tensor_allocate(arena, 2, T, W);
    d->first = tensor_allocate(arena, 1, T);
    d->h = tensor_allocate(arena, 2, ROWS, D);
    d->ctx = tensor_allocate(arena, 2, T, C);
    d->dh = tensor_allocate(arena, 2, ROWS, D);
    d->dplaceholder = tensor_allocate(arena, 1, 2 * D);
    d->dctx = tensor_allocate(arena, 2, T, C);
}

static void fill(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(2 * munit_rand_double() - 1);
}

static bool has(const struct host *x, uint32_t t, uint32_t v)
{
    return x->relevant[t * W + v / 32] >> (v % 32) & 1;
}

static void draw(struct host *x)
{
    uint32_t row = 0;
    for (uint32_t t = 0; t < T; t++) {
        uint32_t *state = x->state + t * RULES_STATE;
        state[RULES_CURRENT] = munit_rand_uint32() % N;
        state[RULES_FIRST] = munit_rand_uint32() % N;
        state[RULES_STEPS] = munit_rand_uint32() % 3;
        state[RULES_DONE] = munit_rand_uint32() % 4 == 0;
        x->instance[t] = t / S % B;
        for (uint32_t v = 0; v < N; v++) {
            bool in = v == state[RULES_CURRENT] || v == state[RULES_FIRST] || (munit_rand_uint32() & 1);
            x->relevant[t * W + v / 32] |= (uint32_t)in << (v % 32);
        }
        x->first[t] = row;
        for (uint32_t v = 0; v < N; v++)
            row += has(x, t, v);
    }
    fill(x->h, ROWS * D);
    fill(x->scalar, T);
    fill(x->placeholder, 2 * D);
    fill(x->dctx, T * 2 * D);
}

static uint32_t row_of(const struct host *x, uint32_t t, uint32_t v, bool compact)
{
    if (!compact)
        return x->instance[t] * N + v;
    uint32_t row = x->first[t];
    for (uint32_t u = 0; u < v; u++)
        row += has(x, t, u);
    return row;
}

// Calls back for every channel of the context: where its value comes from, and where its gradient goes.
static void walk(struct host *x, bool depot, bool compact, const float *ctx, double *dh, double *dplaceholder)
{
    uint32_t C = depot ? D + CONTEXT_SCALARS : 2 * D;
    for (uint32_t i = 0; i < T * C; i++) {
        uint32_t t = i / C, k = i % C, *state = x->state + t * RULES_STATE;
        bool start = !depot && state[RULES_STEPS] == 0, node = depot ? k < D : !start;
        uint32_t v = !depot && k < D ? state[RULES_FIRST] : state[RULES_CURRENT];
        uint32_t at = row_of(x, t, v, compact) * D + k % D;
        float expected = state[RULES_DONE] ? 0
                         : start           ? x->placeholder[k]
                         : node            ? x->h[at]
                         : k == D          ? x->scalar[t]
                                           : 0;
        munit_assert_float(ctx[i], ==, expected);
        if (!state[RULES_DONE] && start)
            dplaceholder[k] += x->dctx[i];
        else if (!state[RULES_DONE] && node)
            dh[at] += x->dctx[i];
    }
}

static void close_to(const float *found, const double *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) // sums of at most T terms below 1
        munit_assert_double(fabs(found[i] - expected[i]), <=, 1e-5);
}

static void compare(struct gpu *gpu, bool depot, bool compact)
{
    struct host *x = xcalloc(1, sizeof *x);
    draw(x);
    uint32_t C = depot ? D + CONTEXT_SCALARS : 2 * D;
    struct arena *arena = arena_create(gpu, "context");
    struct device d;
    layout(&d, arena, C);
    test_ok(arena_back(arena));
    layout(&d, arena, C);
    test_ok(tensor_upload(gpu, d.state, x->state) && tensor_upload(gpu, d.scalar, x->scalar) &&
            tensor_upload(gpu, d.placeholder, x->placeholder) && tensor_upload(gpu, d.instance, x->instance) &&
            tensor_upload(gpu, d.relevant, x->relevant) && tensor_upload(gpu, d.first, x->first) &&
            tensor_upload(gpu, d.h, x->h) && tensor_upload(gpu, d.dctx, x->dctx));
    struct context context = { .state = d.state, .instance = d.instance, .N = N };
    *(depot ? &context.scalar : &context.placeholder) = depot ? d.scalar : d.placeholder;
    if (compact) {
        context.relevant = d.relevant;
        context.first = d.first;
    }
    struct cmd *c = cmd_create(gpu);
    cmd_fill(c, d.dh.address, 4 * ROWS * D, 0);
    cmd_fill(c, d.dplaceholder.address, 4 * 2 * D, 0);
    nn_context(c, d.ctx, d.h, &context);
    nn_context_back_add(c, d.dh, depot ? (struct tensor){ 0 } : d.dplaceholder, d.dctx, &context, M, B, S);
    test_ok(cmd_run(c));
    float *ctx = xcalloc(T * C, 4), *dh = xcalloc(ROWS * D, 4), dplaceholder[2 * D];
    double *wanted_dh = xcalloc(ROWS * D, sizeof(double)), wanted_dplaceholder[2 * D] = { 0 };
    test_ok(tensor_download(gpu, ctx, d.ctx) && tensor_download(gpu, dh, d.dh) &&
            tensor_download(gpu, dplaceholder, d.dplaceholder));
    walk(x, depot, compact, ctx, wanted_dh, wanted_dplaceholder);
    close_to(dh, wanted_dh, ROWS * D);
    close_to(dplaceholder, wanted_dplaceholder, 2 * D);
    free(ctx), free(dh), free(wanted_dh), free(x);
    cmd_destroy(&c);
    arena_destroy(&arena);
}

static MunitResult test_context(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    for (int i = 0; i < 4; i++)
        compare(gpu, i & 1, i & 2);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/context", test_context, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/context", tests)
