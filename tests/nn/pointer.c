#include <math.h>
#include <stdlib.h>

#include "kernel.h"
#include "shaders/args.h"
#include "suite.h"
#include "util/alloc.h"

// Sizes: slots, trajectories per slot, nodes, channels, heads, features in use, ten times the temperature, stacked
// steps (0: one).
enum { SIZE_S, SIZE_REPEAT, SIZE_N, SIZE_D, SIZE_H, SIZE_USE, SIZE_HEAT, SIZE_STEPS };
enum { RAGGED = 1, LISTED = 2, DYNAMIC = 4, CHOSEN = 8, GROUPED = 16, SHORT = 32 };
// Rows differ; rows name nodes; they have features; slots are chosen; half of the slots have weights of their own; rows
// differ in number only.
enum { IN_Q, IN_KVL, IN_WDYN, IN_DYN, IN_ALLOWED, IN_SLOT, IN_NODE, IN_FIRST, IN_ROWS, IN_PART };

static uint32_t trajectories(const uint32_t *size)
{
    return size[SIZE_S] * size[SIZE_REPEAT] * (size[SIZE_STEPS] ? size[SIZE_STEPS] : 1);
}

static uint32_t groups(const uint32_t *size)
{
    return size[SIZE_USE] & GROUPED ? 2 : 1;
}

static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    uint32_t S = size[SIZE_S], T = trajectories(size), N = size[SIZE_N], D = size[SIZE_D], R = S * (N + 1);
    in[IN_Q] = (struct slot){ "q", 2, { T, D } };
    in[IN_KVL] = (struct slot){ "kvl", 2, { R, 3 * D }, .weight = true };
    in[IN_WDYN] = (struct slot){ "wdyn", 2, { groups(size), 3 * D }, .weight = true };
    in[IN_DYN] = (struct slot){ "dyn", 2, { T, N }, .fixed = true };
    in[IN_ALLOWED] = (struct slot){ "allowed", 2, { T, (N + 31) / 32 }, VALUES_INDEX, UINT32_MAX };
    in[IN_SLOT] = (struct slot){ "slot", 1, { T }, VALUES_INDEX, S };
    in[IN_NODE] = (struct slot){ "node", 1, { R }, VALUES_INDEX, N };
    in[IN_FIRST] = (struct slot){ "first", 1, { S }, VALUES_INDEX, 1 };
    in[IN_ROWS] = (struct slot){ "rows", 1, { S }, VALUES_INDEX, N + 1 };
    in[IN_PART] = (struct slot){ "part", 2, { S, 3 * D }, .fixed = true }; // its gradient is the sum of each slot
    out[0] = (struct slot){ "logp", 2, { T, N } };
    out[1] = (struct slot){ "saved", 2, { T, nn_pointer_saved(D, size[SIZE_H], N) }, .saved = true };
}

static void allow_only(double *words, uint32_t N, uint32_t node)
{
    for (uint32_t w = 0; w < (N + 31) / 32; w++)
        words[w] = node / 32 == w ? (double)(1u << node % 32) : 0;
}

// Segments with gaps between them, each row of a slot another node. One trajectory has no allowed node, one has a
// single one.
static void arrange(const uint32_t *size, double *const *in)
{
    uint32_t S = size[SIZE_S], N = size[SIZE_N], T = trajectories(size), W = (N + 31) / 32;
    bool ragged = size[SIZE_USE] & RAGGED;
    for (uint32_t s = 0; s < S; s++) {
        in[IN_FIRST][s] = ragged ? (S - 1 - s) * (N + 1) + 1 : s * N;
        if (!ragged && !(size[SIZE_USE] & SHORT))
            in[IN_ROWS][s] = N;
        double *node = in[IN_NODE] + (size_t)in[IN_FIRST][s];
        for (uint32_t r = 0; r < N; r++)
            node[r] = r;
        for (uint32_t r = N - 1; r > 0 && size[SIZE_USE] & LISTED; r--) {
            uint32_t other = munit_rand_uint32() % (r + 1);
            double relevant = node[r];
            node[r] = node[other], node[other] = relevant;
        }
    }
    for (uint32_t t = 0; t < T && !(size[SIZE_USE] & CHOSEN); t++)
        in[IN_SLOT][t] = t / size[SIZE_REPEAT] % S;
    if (T > 2) {
        allow_only(in[IN_ALLOWED], N, (uint32_t)in[IN_NODE][(size_t)in[IN_FIRST][(size_t)in[IN_SLOT][0]]]);
        allow_only(in[IN_ALLOWED] + W, N, N + 32);
    }
}

// The rows of trajectory t that are allowed; returns how many.
static uint32_t live_rows(const uint32_t *size, const double *const *in, uint32_t t, uint32_t *list)
{
    uint32_t N = size[SIZE_N], count = 0, slot = (uint32_t)in[IN_SLOT][t];
    uint32_t first = (uint32_t)in[IN_FIRST][slot], rows = (uint32_t)in[IN_ROWS][slot];
    const double *words = in[IN_ALLOWED] + (size_t)t * ((N + 31) / 32);
    for (uint32_t r = first; r < first + rows; r++) {
        uint32_t node = (uint32_t)in[IN_NODE][r];
        if ((uint32_t)words[node / 32] >> node % 32 & 1)
            list[count++] = r;
    }
    return count;
}

// Channel c of a row's key, value and logit key together (3D) as trajectory t sees it.
static double cache(const uint32_t *size, const double *const *in, uint32_t t, uint32_t row, uint32_t c)
{
    uint32_t D = size[SIZE_D], node = (uint32_t)in[IN_NODE][row];
    double dyn = size[SIZE_USE] & DYNAMIC ? in[IN_DYN][t * size[SIZE_N] + node] : 0;
    uint32_t S = size[SIZE_S], group = t / size[SIZE_REPEAT] % S / (S / groups(size));
    return in[IN_KVL][(size_t)row * 3 * D + c] + dyn * in[IN_WDYN][group * 3 * D + c];
}

// Softmax in place; returns the logarithm of the sum.
static double softmax(double *x, uint32_t count)
{
    double largest = -INFINITY, sum = 0;
    for (uint32_t i = 0; i < count; i++)
        largest = fmax(largest, x[i]);
    for (uint32_t i = 0; i < count; i++)
        sum += exp(x[i] - largest);
    for (uint32_t i = 0; i < count; i++)
        x[i] = exp(x[i] - largest) / sum;
    return count ? largest + log(sum) : (double)MASKED;
}

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    uint32_t T = trajectories(size), N = size[SIZE_N], D = size[SIZE_D], H = size[SIZE_H], dk = D / H;
    double sharp = (double)(10.0f / (0.1f * (float)size[SIZE_HEAT]));
    uint32_t *list = xcalloc(N, sizeof *list);
    double *a = xcalloc(N, sizeof *a), *logit = xcalloc(N, sizeof *logit);
    for (uint32_t t = 0; t < T; t++) {
        const double *q = in[IN_Q] + (size_t)t * D;
        double *g = out[1] + (size_t)t * nn_pointer_saved(D, H, N), *log_sum = g + D, *logp = out[0] + (size_t)t * N;
        uint32_t live = live_rows(size, in, t, list);
        for (uint32_t h = 0; h < H; h++) {
            for (uint32_t i = 0; i < live; i++) {
                a[i] = 0;
                for (uint32_t c = h * dk; c < (h + 1) * dk; c++)
                    a[i] += q[c] * cache(size, in, t, list[i], c) / sqrt(dk);
            }
            log_sum[h] = softmax(a, live);
            for (uint32_t c = h * dk; c < (h + 1) * dk; c++) {
                g[c] = 0;
                for (uint32_t i = 0; i < live; i++)
                    g[c] += a[i] * cache(size, in, t, list[i], D + c);
            }
        }
        for (uint32_t n = 0; n < N; n++)
            logp[n] = (double)MASKED;
        for (uint32_t i = 0; i < live; i++) {
            double u = 0;
            for (uint32_t c = 0; c < D; c++)
                u += g[c] * cache(size, in, t, list[i], 2 * D + c) / sqrt(D);
            a[i] = logit[i] = sharp * tanh(u);
        }
        log_sum[H] = softmax(a, live);
        for (uint32_t i = 0; i < live; i++)
            logp[(uint32_t)in[IN_NODE][list[i]]] = logit[i] - log_sum[H];
    }
    free(list), free(a), free(logit);
}

static struct pointer pointer_of(const uint32_t *size, const struct tensor *in)
{
    uint32_t use = size[SIZE_USE];
    struct pointer p = { .slots = { .S = size[SIZE_S], .N = size[SIZE_N] },
        .kvl = in[IN_KVL],
        .allowed = in[IN_ALLOWED],
        .wdyn = in[IN_WDYN],
        .H = size[SIZE_H],
        .repeat = size[SIZE_REPEAT],
        .clip = 10,
        .temperature = 0.1f * (float)size[SIZE_HEAT] };
    if (use & RAGGED)
        p.slots.first = in[IN_FIRST].address, p.slots.rows = in[IN_ROWS].address;
    if (use & SHORT)
        p.slots.rows = in[IN_ROWS].address;
    if (use & CHOSEN)
        p.slot = in[IN_SLOT];
    if (use & LISTED)
        p.node = in[IN_NODE];
    if (use & DYNAMIC)
        p.dyn = in[IN_DYN];
    return p;
}

static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    struct pointer p = pointer_of(size, in);
    cmd_fill(c, out[1].address, 4 * tensor_count(&out[1]), 0); // not all of it is written
    p.saves = true;
    nn_pointer(c, out[0], out[1], in[IN_Q], &p);
}

// Saves nothing for a gradient: the second output becomes scratch.
enum { IN_SAVED = IN_PART + 1 };

static void only_describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    describe(size, in, out);
    in[IN_SAVED] = out[1];
    in[IN_SAVED].saved = false, in[IN_SAVED].fixed = true;
    out[1] = (struct slot){ 0 };
}

static void only_reference(const uint32_t *size, const double *const *in, double *const *out)
{
    double *saved = xcalloc(
               (size_t)trajectories(size) * nn_pointer_saved(size[SIZE_D], size[SIZE_H], size[SIZE_N]), sizeof *saved),
           *const both[] = { out[0], saved };
    reference(size, in, both);
    free(saved);
}

static void only_forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    struct pointer p = pointer_of(size, in);
    nn_pointer(c, out[0], in[IN_SAVED], in[IN_Q], &p);
}

static void backward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out,
    const struct tensor *dout, const struct tensor *din)
{
    struct pointer p = pointer_of(size, in);
    struct tensor none = { 0 }, part = size[SIZE_USE] & DYNAMIC ? din[IN_PART] : none;
    if (part.address)
        cmd_fill(c, part.address, 4 * tensor_count(&part), 0);
    nn_pointer_back_add(c, din[IN_Q], din[IN_KVL], part, dout[0], out[0], out[1], in[IN_Q], &p);
    if (part.address)
        nn_collect_add(c, (struct tensor){ din[IN_WDYN].address, 2, { groups(size), 3 * size[SIZE_D] } }, 0, part, 1);
}

// Errors: a logit is 100 (clip over the smallest temperature) times a tanh whose argument, a sum over D, is off by
// about 1e-7 sqrt(D); relative to the tensor's scale that is some 1e-6. Gradients are proportional to exp(logp), whose
// relative error is the absolute one of a logit: 100 times 8 units of 6e-8, where devices differ in how well they know
// tanh and exp, or 5e-5. The sums over D, at most 512, add some 1e-6.
static const struct kernel_test pointer_test = { .name = "pointer",
    .describe = describe,
    .arrange = arrange,
    .reference = reference,
    .forward = forward,
    .backward = backward,
    .tolerance = 1e-5,
    .grad_tolerance = 5e-5 };

static MunitResult test_pointer(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = {
        { 5, 1, 20, 128, 8, 0, 10 },
        { 1, 1, 1, 16, 1, 0, 10 },
        { 3, 1, 9, 130, 5, RAGGED | DYNAMIC, 10 },
        { 2, 2, 101, 48, 16, RAGGED | LISTED | DYNAMIC | GROUPED, 10, 2 },
        { 3, 3, 21, 128, 8, RAGGED | LISTED, 10, 2 },
        { 4, 1, 17, 16, 16, LISTED, 10, 3 },
        { 3, 1, 7, 48, 16, DYNAMIC, 10 },
        { 3, 1, 33, 128, 8, RAGGED, 1 },
        { 4, 1, 15, 128, 8, DYNAMIC, 50 },
        { 1, 1, 1009, 16, 1, LISTED, 10 },
        { 0 },
    };
    struct kernel_test test = pointer_test;
    test.sizes = sizes;
    test.heap = 4;
    return kernel_test(&test, params);
}

// Several decisions of a slot, for whose gradient CPUs have a form of their own.
static MunitResult test_steps(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = {
        { 5, 1, 20, 128, 8, 0, 10, 2 },
        { 4, 1, 33, 128, 8, RAGGED | LISTED, 10, 4 },
        { 3, 1, 40, 64, 8, SHORT, 10, 8 },
        { 3, 1, 9, 26, 1, RAGGED, 10, 3 },
        { 2, 1, 17, 48, 16, RAGGED | LISTED, 10, 5 },
        { 0 },
    };
    struct kernel_test test = pointer_test;
    test.sizes = sizes;
    return kernel_test(&test, params);
}

// Several trajectories of a slot, for which CPUs have forms of their own.
static MunitResult test_many(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = {
        { 3, 8, 20, 128, 8, 0, 10, 3 },
        { 3, 4, 41, 128, 8, SHORT, 10 },
        { 2, 6, 33, 48, 16, RAGGED | LISTED | DYNAMIC | GROUPED, 10 },
        { 2, 2, 70, 128, 8, DYNAMIC, 1 },
        { 2, 17, 13, 48, 16, RAGGED | LISTED | DYNAMIC | GROUPED, 10, 2 },
        { 3, 16, 70, 128, 8, DYNAMIC, 10 },
        { 2, 8, 21, 130, 5, RAGGED | DYNAMIC, 10 },
        { 1, 16, 1, 16, 1, 0, 10 },
        { 2, 3, 33, 48, 16, RAGGED, 1, 5 },
        { 1, 8, 1009, 16, 1, LISTED, 10 },
        { 1, 9, 7, 256, 16, 0, 50 },
        { 0 },
    };
    struct kernel_test test = pointer_test;
    test.sizes = sizes;
    test.describe = only_describe;
    test.reference = only_reference;
    test.forward = only_forward;
    test.backward = NULL;
    test.heap = 3;
    return kernel_test(&test, params);
}

// The same gradient from given actions, all decisions of a slot together. What the actions' coefficients add to
// the gradient of the log-probabilities, `further` lacks.
enum { IN_COEFFICIENT = IN_PART + 1, IN_LESS, IN_FURTHER, IN_SCRATCH };

static void likelihood_describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    uint32_t T = trajectories(size), S = size[SIZE_S], N = size[SIZE_N], D = size[SIZE_D], H = size[SIZE_H];
    uint32_t tiled = T * (2 * D + H) + (T + 64 * S) * N, plain = T * (2 * N + nn_pointer_saved(D, H, N));
    describe(size, in, out);
    in[IN_COEFFICIENT] = (struct slot){ "coefficient", 1, { T }, .fixed = true };
    in[IN_LESS] = (struct slot){ "-coefficient", 1, { T }, .fixed = true };
    in[IN_FURTHER] = (struct slot){ "further", 2, { T, N }, .fixed = true };
    in[IN_SCRATCH] = (struct slot){ "scratch", 1, { (tiled > plain ? tiled : plain) + 8 }, .fixed = true };
}

static void likelihood_arrange(const uint32_t *size, double *const *in)
{
    arrange(size, in);
    for (uint32_t t = 0; t < trajectories(size); t++)
        in[IN_LESS][t] = -in[IN_COEFFICIENT][t];
}

static void likelihood_backward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out,
    const struct tensor *dout, const struct tensor *din)
{
    struct pointer p = pointer_of(size, in);
    struct tensor none = { 0 }, part = size[SIZE_USE] & DYNAMIC ? din[IN_PART] : none;
    struct likelihood given = { in[IN_SLOT], in[IN_COEFFICIENT], din[IN_FURTHER], size[SIZE_N] };
    (void)out;
    if (part.address)
        cmd_fill(c, part.address, 4 * tensor_count(&part), 0);
    nn_choose_back(c, din[IN_FURTHER], in[IN_LESS], in[IN_SLOT]);
    nn_add(c, din[IN_FURTHER], dout[0]);
    nn_likelihood_back_add(c, din[IN_Q], din[IN_KVL], part, din[IN_SCRATCH], in[IN_Q], &given, &p);
    if (part.address)
        nn_collect_add(c, (struct tensor){ din[IN_WDYN].address, 2, { groups(size), 3 * size[SIZE_D] } }, 0, part, 1);
}

static MunitResult test_likelihood(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = {
        { 3, 4, 20, 128, 8, 0, 10, 5 },
        { 2, 17, 13, 48, 16, SHORT | DYNAMIC | GROUPED, 10, 2 },
        { 3, 5, 41, 128, 8, SHORT | DYNAMIC, 10, 7 },
        { 2, 8, 21, 130, 5, DYNAMIC, 10 },
        { 1, 16, 1, 16, 1, 0, 10 },
        { 2, 3, 70, 48, 16, SHORT, 1, 5 },
        { 1, 9, 7, 256, 4, 0, 50 },
        { 3, 2, 21, 128, 8, RAGGED | LISTED, 10, 2 },
        { 0 },
    };
    struct kernel_test test = pointer_test;
    test.describe = likelihood_describe;
    test.arrange = likelihood_arrange;
    test.backward = likelihood_backward;
    test.sizes = sizes;
    test.heap = 2;
    return kernel_test(&test, params);
}

// Trajectories that choose their slots, as in a search: forward only.
static MunitResult test_slots(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = {
        { 3, 4, 20, 128, 8, CHOSEN | RAGGED | LISTED, 10 },
        { 6, 2, 40, 48, 16, CHOSEN | DYNAMIC | GROUPED, 10 },
        { 0 },
    };
    struct kernel_test test = pointer_test;
    test.sizes = sizes;
    test.backward = NULL;
    return kernel_test(&test, params);
}

// The divergence of three decoders' first decisions, through the softmax to their queries and caches.
enum { DECODERS = 3 };

static struct tensor by_decoder(struct tensor logp)
{
    return (struct tensor){ logp.address, 3, { DECODERS, logp.dim[0] / DECODERS, logp.dim[1] } };
}

static void kl_describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    struct slot inner[3] = { 0 };
    describe(size, in, inner);
    out[0] = inner[0], out[0].saved = true;
    out[1] = inner[1];
    out[2] = (struct slot){ "kl", 1, { trajectories(size) / DECODERS } };
}

static void kl_arrange(const uint32_t *size, double *const *in)
{
    arrange(size, in);
    uint32_t per_decoder = trajectories(size) / DECODERS * ((size[SIZE_N] + 31) / 32);
    for (uint32_t i = per_decoder; i < DECODERS * per_decoder; i++)
        in[IN_ALLOWED][i] = in[IN_ALLOWED][i - per_decoder]; // the state is the same for all
}

static void kl_reference(const uint32_t *size, const double *const *in, double *const *out)
{
    uint32_t N = size[SIZE_N], per_decoder = trajectories(size) / DECODERS * N;
    reference(size, in, out);
    for (uint32_t i = 0; i < per_decoder; i++) {
        double *kl = &out[2][i / N];
        *kl = i % N ? *kl : 0;
        for (uint32_t pair = 0; pair < DECODERS * DECODERS; pair++) {
            double x = out[0][pair / DECODERS * per_decoder + i], y = out[0][pair % DECODERS * per_decoder + i];
            *kl += x > 0.5 * (double)MASKED ? exp(x) * (x - y) / (DECODERS * (DECODERS - 1)) : 0;
        }
    }
}

static void kl_forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    forward(c, size, in, out);
    nn_kl(c, out[2], by_decoder(out[0]));
}

static void kl_backward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out,
    const struct tensor *dout, const struct tensor *din)
{
    nn_kl_back_add(c, by_decoder(dout[0]), dout[2], by_decoder(out[0])); // dout of a saved output is 0
    backward(c, size, in, out, dout, din);
}

static MunitResult test_kl(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 4 * DECODERS, 1, 20, 128, 8, 0, 10 }, { 0 } };
    return kernel_test(&(struct kernel_test){ .name = "pointer and kl",
                           .describe = kl_describe,
                           .arrange = kl_arrange,
                           .reference = kl_reference,
                           .forward = kl_forward,
                           .backward = kl_backward,
                           .tolerance = 1e-5,
                           .grad_tolerance = 1e-5, // as above, but a logit is 10 times a tanh
                           .tame = true,           // equal decoders have no divergence to be relative to
                           .sizes = sizes },
        params);
}

// Wide embeddings, whose code is the longest.
static MunitResult test_wide(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 2, 1, 11, 512, 16, RAGGED | LISTED, 10 }, { 0 } };
    struct kernel_test test = pointer_test;
    test.sizes = sizes;
    return kernel_test(&test, params);
}

static MunitTest tests[] = {
    { "/pointer", test_pointer, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/steps", test_steps, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/many", test_many, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/likelihood", test_likelihood, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/slots", test_slots, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/kl", test_kl, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/wide", test_wide, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/pointer", tests)
