#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/error.h"

enum { GUARD = 64, PROBES = 24 }; // floats on either side of a tensor; elements probed per gradient

// A tensor on the device with its guard bands, and its values on the host.
struct band {
    struct slot slot;
    struct tensor tensor;
    uint64_t whole; // address of the first guard
    uint64_t count;
    uint32_t *bits; // as uploaded or downloaded, guards included
    double *value;
};

static const uint32_t guard_bits = 0x7fe5a5a5; // a NaN, so that a stray read shows as well

enum inputs { INPUTS_RANDOM, INPUTS_ZERO, INPUTS_LARGE, INPUTS_TINY, INPUTS_EQUAL, INPUTS_COUNT };

static double normal(void)
{
    double u = 1 - munit_rand_double(), v = munit_rand_double();
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static double draw(const struct slot *slot, enum inputs inputs)
{
    if (slot->values == VALUES_BIT)
        return munit_rand_uint32() & 1;
    if (slot->values == VALUES_INDEX)
        return munit_rand_uint32() % slot->limit;
    if (slot->values == VALUES_POSITIVE)
        return 0.5 + munit_rand_double();
    switch (inputs) {
    case INPUTS_ZERO:
        return 0;
    case INPUTS_LARGE:
        return 1e4 * normal();
    case INPUTS_TINY:
        return 1e-30 * normal();
    case INPUTS_EQUAL:
        return 0.75;
    default:
        return normal();
    }
}

static bool is_integer(const struct slot *slot)
{
    return slot->integer || slot->values == VALUES_BIT || slot->values == VALUES_INDEX;
}

static void store(struct band *band, uint64_t i, double value)
{
    if (is_integer(&band->slot)) {
        band->bits[GUARD + i] = (uint32_t)value;
        band->value[i] = value;
    } else {
        float single = (float)value;
        memcpy(&band->bits[GUARD + i], &single, sizeof single);
        band->value[i] = single; // the reference sees what the device sees
    }
}

static void allocate(struct band *band, struct arena *arena)
{
    struct slot *slot = &band->slot;
    band->tensor = (struct tensor){ .rank = slot->rank };
    memcpy(band->tensor.dim, slot->dim, sizeof slot->dim);
    band->count = tensor_count(&band->tensor);
    band->whole = arena_allocate(arena, 4 * (band->count + 2 * GUARD));
    band->tensor.address = band->whole + 4 * GUARD;
    if (!band->bits) {
        band->bits = xcalloc(band->count + 2 * GUARD, 4);
        band->value = xcalloc(band->count, sizeof(double));
    }
}

static void blank(struct band *band)
{
    for (uint64_t i = 0; i < band->count + 2 * GUARD; i++)
        band->bits[i] = guard_bits;
}

static void upload(struct gpu *gpu, struct band *band)
{
    test_ok(gpu_upload(gpu, band->whole, band->bits, 4 * (band->count + 2 * GUARD)));
}

static void download(struct gpu *gpu, struct band *band, const char *what)
{
    test_ok(gpu_download(gpu, band->bits, band->whole, 4 * (band->count + 2 * GUARD)));
    for (uint64_t i = 0; i < GUARD; i++) {
        if (band->bits[i] != guard_bits)
            munit_errorf(
                "%s %s: written %llu floats before its start", what, band->slot.name, (unsigned long long)(GUARD - i));
        if (band->bits[GUARD + band->count + i] != guard_bits)
            munit_errorf("%s %s: written %llu floats behind its end", what, band->slot.name, (unsigned long long)i + 1);
    }
    for (uint64_t i = 0; i < band->count; i++) {
        float single;
        memcpy(&single, &band->bits[GUARD + i], sizeof single);
        band->value[i] = is_integer(&band->slot) ? band->bits[GUARD + i] : single;
    }
}

static bool usual(double value)
{
    return fabs(value) < 1e29; // neither infinite nor a stand-in for it
}

static double largest(const double *value, uint64_t count)
{
    double max = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (usual(value[i]) && fabs(value[i]) > max)
            max = fabs(value[i]);
    }
    return max;
}

struct bench {
    const struct kernel_test *test;
    const uint32_t *size;
    struct gpu *gpu;
    struct arena *arena;
    struct band in[SLOTS], out[SLOTS], din[SLOTS], dout[SLOTS];
    int ins, outs;
};

static void prepare(struct bench *b)
{
    struct slot in[SLOTS + 1] = { 0 }, out[SLOTS + 1] = { 0 };
    b->test->describe(b->size, in, out);
    for (b->ins = 0; in[b->ins].name; b->ins++)
        b->in[b->ins].slot = b->din[b->ins].slot = in[b->ins];
    for (b->outs = 0; out[b->outs].name; b->outs++)
        b->out[b->outs].slot = b->dout[b->outs].slot = out[b->outs];
    b->arena = arena_create(b->gpu, b->test->name);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < b->ins; i++) {
            allocate(&b->in[i], b->arena);
            allocate(&b->din[i], b->arena);
        }
        for (int i = 0; i < b->outs; i++) {
            allocate(&b->out[i], b->arena);
            allocate(&b->dout[i], b->arena);
        }
        if (!pass)
            test_ok(arena_back(b->arena));
    }
}

static void finish(struct bench *b)
{
    struct band *lists[] = { b->in, b->out, b->din, b->dout };
    for (int list = 0; list < 4; list++) {
        for (int i = 0; i < SLOTS; i++)
            free(lists[list][i].bits), free(lists[list][i].value);
    }
    arena_destroy(&b->arena);
}

static void tensors_of(const struct band *bands, int count, struct tensor *tensors)
{
    for (int i = 0; i < count; i++)
        tensors[i] = bands[i].tensor;
}

static void call_reference(const struct bench *b, double *const *result)
{
    const double *in[SLOTS];
    for (int i = 0; i < b->ins; i++)
        in[i] = b->in[i].value;
    b->test->reference(b->size, in, result);
}

static void allocate_results(const struct bench *b, double **result)
{
    for (int i = 0; i < b->outs; i++)
        result[i] = xcalloc(b->out[i].count, sizeof(double));
}

static void free_results(const struct bench *b, double **result)
{
    for (int i = 0; i < b->outs; i++)
        free(result[i]);
}

static void draw_inputs(struct bench *b, enum inputs inputs)
{
    double *value[SLOTS];
    for (int i = 0; i < b->ins; i++) {
        value[i] = b->in[i].value;
        for (uint64_t k = 0; k < b->in[i].count; k++)
            value[i][k] = draw(&b->in[i].slot, inputs);
    }
    if (b->test->arrange)
        b->test->arrange(b->size, value);
    for (int i = 0; i < b->ins; i++) {
        blank(&b->in[i]);
        for (uint64_t k = 0; k < b->in[i].count; k++)
            store(&b->in[i], k, value[i][k]);
        upload(b->gpu, &b->in[i]);
    }
}

static void run_forward(struct bench *b, enum inputs inputs)
{
    struct tensor in[SLOTS], out[SLOTS];
    draw_inputs(b, inputs);
    for (int i = 0; i < b->outs; i++) {
        blank(&b->out[i]);
        upload(b->gpu, &b->out[i]);
    }
    tensors_of(b->in, b->ins, in);
    tensors_of(b->out, b->outs, out);
    struct cmd *c = cmd_create(b->gpu);
    cmd_label(c, "test/%s", b->test->name);
    b->test->forward(c, b->size, in, out);
    test_ok(cmd_run(c));
    cmd_destroy(&c);
    for (int i = 0; i < b->outs; i++)
        download(b->gpu, &b->out[i], b->test->name);
}

static void compare_forward(struct bench *b, enum inputs inputs)
{
    static const char *const words[] = { "random", "zero", "large", "tiny", "equal" };
    double *expected[SLOTS];
    allocate_results(b, expected);
    call_reference(b, expected);
    for (int i = 0; i < b->outs; i++) {
        const struct band *band = &b->out[i];
        double scale = largest(expected[i], band->count);
        // A device may flush values below 1.2e-38 to zero, in each of a thousand terms of a sum.
        double allowed = is_integer(&band->slot) ? 0 : b->test->tolerance * scale + 1e-35;
        for (uint64_t k = 0; k < band->count; k++) {
            double found = band->value[k], reference = expected[i][k];
            bool same = usual(reference) ? fabs(found - reference) <= allowed : found == reference;
            if (!same)
                munit_errorf("%s %s[%llu] is %.9g, should be %.9g (allowed %.2g; %s inputs, sizes %u %u %u %u %u)",
                    b->test->name, band->slot.name, (unsigned long long)k, found, reference, allowed, words[inputs],
                    b->size[0], b->size[1], b->size[2], b->size[3], b->size[4]);
        }
    }
    free_results(b, expected);
}

static void run_backward(struct bench *b)
{
    struct tensor in[SLOTS], out[SLOTS], din[SLOTS], dout[SLOTS];
    for (int i = 0; i < b->outs; i++) {
        blank(&b->dout[i]);
        for (uint64_t k = 0; k < b->dout[i].count; k++)
            store(&b->dout[i], k, b->dout[i].slot.saved || b->dout[i].slot.integer ? 0 : normal());
        upload(b->gpu, &b->dout[i]);
    }
    for (int i = 0; i < b->ins; i++) {
        blank(&b->din[i]);
        for (uint64_t k = 0; b->din[i].slot.weight && k < b->din[i].count; k++)
            store(&b->din[i], k, 1); // must be added to
        upload(b->gpu, &b->din[i]);
    }
    tensors_of(b->in, b->ins, in), tensors_of(b->out, b->outs, out);
    tensors_of(b->din, b->ins, din), tensors_of(b->dout, b->outs, dout);
    struct cmd *c = cmd_create(b->gpu);
    cmd_label(c, "test/%s back", b->test->name);
    b->test->backward(c, b->size, in, out, dout, din);
    test_ok(cmd_run(c));
    cmd_destroy(&c);
    for (int i = 0; i < b->ins; i++)
        download(b->gpu, &b->din[i], "gradient of");
}

// The loss: the sum of dout * out.
static double loss(const struct bench *b, double *const *result)
{
    double sum = 0;
    call_reference(b, result);
    for (int i = 0; i < b->outs; i++) {
        if (b->out[i].slot.saved || b->out[i].slot.integer)
            continue;
        for (uint64_t k = 0; k < b->out[i].count; k++) {
            if (usual(result[i][k]))
                sum += b->dout[i].value[k] * result[i][k];
        }
    }
    return sum;
}

struct probe {
    uint64_t at;
    double expected;
};

// Elements of input i and the gradient that central differences of the reference give them.
static int draw_probes(struct bench *b, int i, double *const *result, struct probe probes[PROBES])
{
    struct band *band = &b->in[i];
    int count = 0;
    for (; count < PROBES && (uint64_t)count < band->count; count++) {
        uint64_t k = band->count <= PROBES ? (uint64_t)count : munit_rand_uint32() % band->count;
        double saved = band->value[k], step = 1e-4;
        band->value[k] = saved + step;
        double above = loss(b, result);
        band->value[k] = saved - step;
        double below = loss(b, result);
        band->value[k] = saved;
        probes[count] = (struct probe){ k, (above - below) / (2 * step) + (band->slot.weight ? 1 : 0) };
    }
    return count;
}

// The error is relative to the largest element, which the probes may miss by some factor; a gradient that is wrong and
// large elsewhere must not widen the tolerance.
static void compare_backward(struct bench *b)
{
    double *result[SLOTS];
    allocate_results(b, result);
    for (int i = 0; i < b->ins; i++) {
        struct band *band = &b->in[i], *grad = &b->din[i];
        if (band->slot.fixed || is_integer(&band->slot))
            continue;
        struct probe probes[PROBES];
        int count = draw_probes(b, i, result, probes);
        double max = 0;
        for (int k = 0; k < count; k++)
            max = fmax(max, fabs(probes[k].expected));
        double scale = fmin(largest(grad->value, grad->count), 20 * max + 1e-2) + 1e-6; // output gradients are around 1
        for (int k = 0; k < count; k++) {
            double expected = probes[k].expected, found = grad->value[probes[k].at];
            if (!(fabs(found - expected) <= b->test->grad_tolerance * scale))
                munit_errorf("%s: gradient of %s[%llu] is %.9g, should be %.9g (largest %.3g; sizes %u %u %u %u %u)",
                    b->test->name, band->slot.name, (unsigned long long)probes[k].at, found, expected, scale,
                    b->size[0], b->size[1], b->size[2], b->size[3], b->size[4]);
        }
    }
    free_results(b, result);
}

MunitResult kernel_test(const struct kernel_test *test, const MunitParameter params[])
{
    TEST_GPU(gpu, params);
    const char *few = getenv("MDAM_VK_TEST_SIZES");
    const size_t stride = few ? strtoul(few, NULL, 10) : 1;
    const size_t end = test->heap && gpu_info(gpu)->target == GPU_TARGET_SAFE ? test->heap : SIZE_MAX;
    munit_assert_size(stride, >, 0);
    for (size_t i = 0; test->sizes[i][0] && i < end; i++) {
        if (i % stride)
            continue;
        struct bench b = { .test = test, .size = test->sizes[i], .gpu = gpu };
        prepare(&b);
        for (int inputs = INPUTS_COUNT - 1; inputs >= 0; inputs--) { // random last: backward uses it
            if (test->tame && inputs != INPUTS_RANDOM)
                continue;
            run_forward(&b, (enum inputs)inputs);
            compare_forward(&b, (enum inputs)inputs);
        }
        if (test->backward) {
            run_backward(&b);
            compare_backward(&b);
        }
        finish(&b);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}
