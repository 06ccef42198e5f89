#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "shaders/args.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/rng.h"

// --- greedy, given and the gradient: sizes are trajectories, nodes, coefficients ------------------------------------

static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    in[0] = (struct slot){ "logp", 2, { size[0], size[1] } };
    in[1] = (struct slot){ "given", 1, { size[0] }, VALUES_INDEX, size[1] };
    in[2] = (struct slot){ "coefficient", 1, { size[2] } };
    out[0] = (struct slot){ "greedy", 1, { size[0] }, .integer = true };
    out[1] = (struct slot){ "greedy logp", 1, { size[0] } };
    out[2] = (struct slot){ "given again", 1, { size[0] }, .integer = true };
    out[3] = (struct slot){ "given logp", 1, { size[0] } };
    out[4] = (struct slot){ "dlogp", 2, { size[0], size[1] } };
}

static void arrange(const uint32_t *size, double *const *in)
{
    for (uint32_t i = 0; i < size[0] * size[1]; i++) {
        if (munit_rand_uint32() & 1)
            in[0][i] = (double)MASKED;
    }
}

// A trajectory without an allowed node stays at node 0 and pays nothing.
static double chosen(const double *logp, uint32_t action)
{
    return action || logp[0] > 0.5 * (double)MASKED ? logp[action] : 0;
}

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    uint32_t N = size[1];
    for (uint32_t t = 0; t < size[0]; t++) {
        const double *logp = in[0] + (size_t)t * N;
        uint32_t best = 0, given = (uint32_t)in[1][t];
        for (uint32_t n = 0; n < N; n++) {
            if (logp[n] > logp[best])
                best = n;
            out[4][t * N + n] = n == given ? in[2][t % size[2]] : 0;
        }
        out[0][t] = best, out[1][t] = chosen(logp, best);
        out[2][t] = given, out[3][t] = chosen(logp, given);
    }
}

static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    (void)size;
    struct tensor none = { 0 };
    nn_choose(c, out[0], out[1], none, in[0], &(struct choose){ .mode = GREEDY });
    nn_choose(c, out[2], out[3], none, in[0], &(struct choose){ .mode = GIVEN, .given = in[1] });
    nn_choose_back(c, out[4], in[2], in[1]);
}

static MunitResult test_choose(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 1, 1, 1 }, { 66, 20, 33 }, { 35, 101, 35 }, { 515, 7, 5 }, { 0 } };
    return kernel_test(&(struct kernel_test){ .name = "choose",
                           .describe = describe,
                           .arrange = arrange,
                           .reference = reference,
                           .forward = forward,
                           .sizes = sizes },
        params);
}

// --- samples ------------------------------------------------------------------------------------------------------

struct draws {
    uint32_t T, N;
    float *logp, *total, *chosen;
    uint32_t *instance, *decoder, *action;
};

static void draws_create(struct draws *d, uint32_t T, uint32_t N)
{
    *d = (struct draws){ T, N, xcalloc((size_t)T * N, 4), xcalloc(T, 4), xcalloc(T, 4), xcalloc(T, 4), xcalloc(T, 4),
        xcalloc(T, 4) };
}

static void draws_finish(struct draws *d)
{
    free(d->logp), free(d->total), free(d->chosen), free(d->instance), free(d->decoder), free(d->action);
}

static void draws_run(struct gpu *gpu, struct draws *d, enum choose_mode mode, uint64_t seed, uint32_t step)
{
    struct arena *arena = arena_create(gpu, "draws");
    struct tensor logp, total, chosen, instance, decoder, action, at;
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            test_ok(arena_back(arena));
        logp = tensor_allocate(arena, 2, d->T, d->N);
        total = tensor_allocate(arena, 1, d->T), chosen = tensor_allocate(arena, 1, d->T);
        instance = tensor_allocate(arena, 1, d->T), decoder = tensor_allocate(arena, 1, d->T);
        action = tensor_allocate(arena, 1, d->T), at = tensor_allocate(arena, 1, 1u);
    }
    test_ok(tensor_upload(gpu, logp, d->logp) && tensor_upload(gpu, total, d->total) &&
            tensor_upload(gpu, instance, d->instance) && tensor_upload(gpu, decoder, d->decoder) &&
            tensor_upload(gpu, at, &step));
    struct cmd *c = cmd_create(gpu);
    nn_choose(c, action, chosen, total, logp, &(struct choose){ mode, { 0 }, instance, decoder, at.address, seed });
    test_ok(cmd_run(c) && tensor_download(gpu, d->total, total) && tensor_download(gpu, d->chosen, chosen) &&
            tensor_download(gpu, d->action, action));
    cmd_destroy(&c);
    arena_destroy(&arena);
}

// Random distributions over some of the nodes, often all but one.
static void draws_fill(struct draws *d)
{
    for (uint32_t t = 0; t < d->T; t++) {
        double weight[64], sum = 0;
        for (uint32_t n = 0; n < d->N; n++) {
            weight[n] = munit_rand_uint32() % 2 ? exp(8 * munit_rand_double()) : 0;
            if (n == t % d->N)
                weight[n] = 1;
            sum += weight[n];
        }
        for (uint32_t n = 0; n < d->N; n++)
            d->logp[t * d->N + n] = weight[n] > 0 ? (float)log(weight[n] / sum) : MASKED;
        d->instance[t] = 7 * t + 5, d->decoder[t] = t % 5, d->total[t] = -0.5f * (float)t;
    }
}

// The draw falls into the interval of the chosen node. Single precision moves its ends by about 1e-7 per node.
static MunitResult test_sample(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    const uint32_t T = 1003, N = 37, step = 11;
    const uint64_t seed = 0x123456789abcdef0u;
    struct draws d, reversed;
    draws_create(&d, T, N);
    draws_create(&reversed, T, N);
    draws_fill(&d);
    for (uint32_t t = 0; t < T; t++) { // the same trajectories in another order
        uint32_t other = T - 1 - t;
        memcpy(reversed.logp + t * N, d.logp + other * N, 4 * N);
        reversed.instance[t] = d.instance[other], reversed.decoder[t] = d.decoder[other];
    }
    draws_run(gpu, &d, SAMPLE, seed, step);
    draws_run(gpu, &reversed, SAMPLE, seed, step);
    for (uint32_t t = 0; t < T; t++) {
        const float *logp = d.logp + t * N;
        uint32_t number[4];
        rng_draw(&(struct rng){ seed, RNG_SAMPLE, d.instance[t], d.decoder[t] }, step, number);
        double below = 0, draw = (double)rng_unit(number[0]);
        munit_assert_uint32(d.action[t], <, N);
        for (uint32_t n = 0; n < d.action[t]; n++)
            below += exp((double)logp[n]);
        munit_assert_double(draw, >=, below - 1e-5);
        munit_assert_double(draw, <=, below + exp((double)logp[d.action[t]]) + 1e-5);
        munit_assert_float(logp[d.action[t]], >, MASKED);
        munit_assert_memory_equal(4, &d.chosen[t], &logp[d.action[t]]);
        float total = -0.5f * (float)t + d.chosen[t];
        munit_assert_memory_equal(4, &d.total[t], &total);
        munit_assert_uint32(reversed.action[T - 1 - t], ==, d.action[t]);
    }
    draws_finish(&d);
    draws_finish(&reversed);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// As often as they are likely, within five standard deviations; another step gives other draws.
static MunitResult test_often(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    static const double p[] = { 0.05, 0.4, 0, 0.25, 0.3 };
    const uint32_t T = 20000, N = 5;
    struct draws d;
    draws_create(&d, T, N);
    for (uint32_t i = 0; i < T * N; i++) {
        d.logp[i] = p[i % N] > 0 ? (float)log(p[i % N]) : MASKED;
        d.instance[i / N] = i / N / 4, d.decoder[i / N] = i / N % 4;
    }
    uint32_t *before = xcalloc(T, 4), same = 0;
    for (uint32_t step = 0; step < 2; step++) {
        uint32_t count[5] = { 0 };
        memcpy(before, d.action, 4 * (size_t)T);
        draws_run(gpu, &d, SAMPLE, 1234, step);
        for (uint32_t t = 0; t < T; t++)
            count[d.action[t]]++, same += step && before[t] == d.action[t];
        for (uint32_t n = 0; n < N; n++)
            munit_assert_double(fabs(count[n] - T * p[n]), <=, 5 * sqrt(T * p[n] * (1 - p[n])));
    }
    double chance = 0; // that two draws agree
    for (uint32_t n = 0; n < N; n++)
        chance += p[n] * p[n];
    munit_assert_double(fabs(same - T * chance), <=, 5 * sqrt(T * chance * (1 - chance)));
    free(before);
    draws_finish(&d);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Diverged weights make log-probabilities that are not numbers. Even then a forbidden node is not chosen: later steps
// rely on it.
static MunitResult test_unknown(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    const uint32_t T = 70, N = 37;
    struct draws d;
    draws_create(&d, T, N);
    for (uint32_t i = 0; i < T * N; i++)
        d.logp[i] = i % N >= i / N % N && i % 3 ? NAN : MASKED;
    for (uint32_t mode = GREEDY; mode <= SAMPLE; mode++) {
        draws_run(gpu, &d, (enum choose_mode)mode, 1234, 0);
        for (uint32_t t = 0; t < T; t++) {
            bool some = false;
            for (uint32_t n = 0; n < N; n++)
                some = some || isnan(d.logp[t * N + n]);
            munit_assert_uint32(d.action[t], <, N);
            munit_assert_true(some ? isnan(d.logp[t * N + d.action[t]]) : d.action[t] == 0);
        }
    }
    draws_finish(&d);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/choose", test_choose, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/sample", test_sample, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/often", test_often, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/unknown", test_unknown, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/choose", tests)
