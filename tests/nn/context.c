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

// Trajectories, and decisions of all. Compact slots are two for each trajectory, in two blocks with their own
// decisions: two of the first slot, one of the second, where the other is missing.
enum { M = 2, B = 5, S = 3, T = M * B * S, N = 37, W = 2, D = 24, DECISIONS = 3, EACH = 2, SLOTS = 2 * T };
enum { ALL = DECISIONS * T, ROWS = SLOTS * N };

struct host {
    uint32_t state[ALL * RULES_STATE], instance[T], relevant[SLOTS * W], first[SLOTS], rows[SLOTS];
    float h[ROWS * D], scalar[T], placeholder[2 * D], dctx[ALL * 2 * D], dq[ALL * D];
};

struct device {
    struct tensor state, scalar, placeholder, instance, relevant, first, rows, h, ctx, dh, dplaceholder, dctx, dfixed,
        dq;
};

static void layout(struct device *d, struct arena *arena, uint32_t C)
{
    d->state = tensor_allocate(arena, 2, ALL, RULES_STATE);
    d->scalar = tensor_allocate(arena, 1, T);
    d->placeholder = tensor_allocate(arena, 1, 2 * D);
    d->instance = tensor_allocate(arena, 1, T);
    d->relevant = tensor_allocate(arena, 2, SLOTS, W);
    d->first = tensor_allocate(arena, 1, SLOTS);
    d->rows = tensor_allocate(arena, 1, SLOTS);
    d->h = tensor_allocate(arena, 2, ROWS, D);
    d->ctx = tensor_allocate(arena, 2, T, C);
    d->dh = tensor_allocate(arena, 2, ROWS, D);
    d->dplaceholder = tensor_allocate(arena, 1, 2 * D);
    d->dctx = tensor_allocate(arena, 2, ALL, C);
    d->dfixed = tensor_allocate(arena, 2, SLOTS, D);
    d->dq = tensor_allocate(arena, 2, ALL, D);
}

static void fill(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(2 * munit_rand_double() - 1);
}

static bool has(const struct host *x, uint32_t slot, uint32_t v)
{
    return x->relevant[slot * W + v / 32] >> (v % 32) & 1;
}

// Returns the slot of a decision.
static uint32_t slot_of(uint32_t i, bool compact)
{
    return compact ? i / (EACH * T) * T + i % T : i % T / S;
}

static void draw(struct host *x)
{
    uint32_t row = 0;
    for (uint32_t i = 0; i < SLOTS * N; i++)
        x->relevant[i / N * W + i % N / 32] |= (munit_rand_uint32() & 1) << (i % N % 32);
    for (uint32_t i = 0; i < ALL; i++) {
        uint32_t *state = x->state + i * RULES_STATE, *relevant = x->relevant + slot_of(i, true) * W;
        state[RULES_CURRENT] = munit_rand_uint32() % N;
        state[RULES_FIRST] = munit_rand_uint32() % N;
        state[RULES_STEPS] = munit_rand_uint32() % 3;
        state[RULES_DONE] = munit_rand_uint32() % 4 == 0;
        relevant[state[RULES_CURRENT] / 32] |= 1u << (state[RULES_CURRENT] % 32);
        relevant[state[RULES_FIRST] / 32] |= 1u << (state[RULES_FIRST] % 32);
    }
    for (uint32_t t = 0; t < T; t++)
        x->instance[t] = t / S % B;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        x->first[slot] = row;
        for (uint32_t v = 0; v < N; v++)
            row += has(x, slot, v);
        x->rows[slot] = slot % 9 == 4 ? 0 : row - x->first[slot]; // some that a run does not reach
    }
    fill(x->h, ROWS * D);
    fill(x->scalar, T);
    fill(x->placeholder, 2 * D);
    fill(x->dctx, ALL * 2 * D);
    fill(x->dq, ALL * D);
}

static uint32_t row_of(const struct host *x, uint32_t i, uint32_t v, bool compact)
{
    if (!compact)
        return x->instance[i % T] * N + v;
    uint32_t slot = slot_of(i, true), row = x->first[slot];
    for (uint32_t u = 0; u < v; u++)
        row += has(x, slot, u);
    return row;
}

// For every channel of the context: where its value comes from, and where its gradient goes.
static void walk(struct host *x, bool depot, bool compact, const float *ctx, double *dh, double *dplaceholder)
{
    uint32_t C = depot ? D + CONTEXT_SCALARS : 2 * D;
    for (uint32_t i = 0; i < ALL * C; i++) {
        uint32_t t = i / C, k = i % C, *state = x->state + t * RULES_STATE;
        bool start = !depot && state[RULES_STEPS] == 0, node = depot ? k < D : !start;
        uint32_t v = !depot && k < D ? state[RULES_FIRST] : state[RULES_CURRENT];
        uint32_t at = row_of(x, t, v, compact) * D + k % D;
        float expected = state[RULES_DONE] ? 0
                         : start           ? x->placeholder[k]
                         : node            ? x->h[at]
                         : k == D          ? x->scalar[t % T]
                                           : 0;
        if (t < T)
            munit_assert_float(ctx[i], ==, expected);
        if (state[RULES_DONE])
            continue;
        if (start)
            dplaceholder[k] += x->dctx[i];
        else if (node && (!compact || x->rows[slot_of(t, true)]))
            dh[at] += x->dctx[i];
    }
}

static void sum_queries(const struct host *x, bool compact, double *dfixed)
{
    for (uint32_t i = 0; i < ALL * D; i++) {
        const uint32_t slot = slot_of(i / D, compact);
        if (!compact || x->rows[slot])
            dfixed[slot * D + i % D] += x->dq[i];
    }
}

static void close_to(const float *found, const double *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) // sums of at most ALL terms below 1
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
            tensor_upload(gpu, d.rows, x->rows) && tensor_upload(gpu, d.h, x->h) &&
            tensor_upload(gpu, d.dctx, x->dctx) && tensor_upload(gpu, d.dq, x->dq));
    struct context context = { .state = tensor_slice(d.state, 0, T), .instance = d.instance, .N = N };
    *(depot ? &context.scalar : &context.placeholder) = depot ? d.scalar : d.placeholder;
    if (compact) {
        context.relevant = d.relevant;
        context.first = d.first;
    }
    struct context_back back = { .dh = d.dh,
        .dplaceholder = depot ? (struct tensor){ 0 } : d.dplaceholder,
        .dfixed = compact ? d.dfixed : tensor_slice(d.dfixed, 0, M * B),
        .dctx = d.dctx,
        .dq = d.dq,
        .rows = d.rows,
        .M = 2,
        .B = compact ? T : B,
        .S = S,
        .decisions = compact ? EACH : DECISIONS };
    struct cmd *c = cmd_create(gpu);
    cmd_fill(c, d.dh.address, 4 * ROWS * D, 0);
    cmd_fill(c, d.dplaceholder.address, 4 * 2 * D, 0);
    cmd_fill(c, d.dfixed.address, 4 * SLOTS * D, 0);
    nn_context(c, d.ctx, d.h, &context);
    context.state = d.state;
    nn_context_back_add(c, &back, &context);
    test_ok(cmd_run(c));
    float *ctx = xcalloc(T * C, 4), *dh = xcalloc(ROWS * D, 4), *dfixed = xcalloc(SLOTS * D, 4), dplaceholder[2 * D];
    double *expected_dh = xcalloc(ROWS * D, sizeof(double)), *expected_dfixed = xcalloc(SLOTS * D, sizeof(double)),
           expected_dplaceholder[2 * D] = { 0 };
    test_ok(tensor_download(gpu, ctx, d.ctx) && tensor_download(gpu, dh, d.dh) &&
            tensor_download(gpu, dfixed, d.dfixed) && tensor_download(gpu, dplaceholder, d.dplaceholder));
    walk(x, depot, compact, ctx, expected_dh, expected_dplaceholder);
    sum_queries(x, compact, expected_dfixed);
    close_to(dh, expected_dh, ROWS * D);
    close_to(dfixed, expected_dfixed, SLOTS * D);
    close_to(dplaceholder, expected_dplaceholder, 2 * D);
    free(dfixed), free(expected_dfixed);
    free(ctx), free(dh), free(expected_dh), free(x);
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
