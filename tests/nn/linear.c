#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

// Sizes: groups, rows of each, inputs, outputs, and what the layer has.
enum {
    BIAS = 1,
    RESIDUAL = 2,
    SOURCE = 4,
    RELU = 8,
    RAGGED = 16,
    SHARED = 32,
    ADD = 64,
    ONE_W = 128,
    STRIDED = 256,
    REPEAT = 512
};
enum { X, W, B, RES, SRC, ROWS, SCRATCH };
enum { RES_ROWS = 5 }; // of a residual that is gathered
enum { GAP = 8 };      // stride of the groups' weights in rows

static uint32_t weight_rows(const uint32_t *size)
{
    return size[2] + (size[4] & STRIDED ? GAP : 0);
}

// Returns the groups with weights of their own.
static uint32_t weights(const uint32_t *size)
{
    return size[4] & ONE_W ? 1 : size[4] & REPEAT ? size[0] / 2 : size[0];
}

static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    uint32_t G = size[0], R = size[1], I = size[2], O = size[3], has = size[4];
    in[X] = (struct slot){ "x", 2, { has & SHARED ? R : G * R, I }, .weight = has & ADD };
    in[W] = (struct slot){ "w", 3, { weights(size), weight_rows(size), O }, .weight = true };
    in[B] = (struct slot){ "bias", 2, { weights(size), O }, .weight = true, .fixed = !(has & BIAS) };
    in[RES] = (struct slot){ "residual", 2, { has & SOURCE ? RES_ROWS : G * R, O }, .fixed = true };
    in[SRC] = (struct slot){ "source", 1, { G * R }, VALUES_INDEX, RES_ROWS };
    in[ROWS] = (struct slot){ "rows", 2, { G, 2 }, VALUES_INDEX, R / 2 + 1 };
    // More than any device asks for: slabs have 256 rows or more.
    in[SCRATCH] = (struct slot){ "scratch", 1, { G * ((R + 255) / 256) * (I + 1) * O }, .fixed = true };
    out[0] = (struct slot){ "y", 2, { G * R, O } };
}

// The outputs that the ReLU lets through are selected once for every forward: central differences must not cross its
// kink.
static bool *gate, gate_due;

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    uint32_t G = size[0], R = size[1], I = size[2], O = size[3], has = size[4];
    if (gate_due) {
        free(gate);
        gate = xcalloc((size_t)G * R * O, sizeof *gate);
    }
    for (uint32_t i = 0; i < G * R; i++) {
        uint32_t r = i % R, g = i / R % weights(size);
        const double *rows = in[ROWS] + 2 * (i / R);
        if ((has & RAGGED) && (r < rows[0] || r >= rows[0] + rows[1])) {
            memset(out[0] + (size_t)i * O, 0, O * sizeof(double));
            continue;
        }
        const double *x = in[X] + (size_t)(has & SHARED ? r : i) * I;
        double *y = out[0] + (size_t)i * O;
        for (uint32_t o = 0; o < O; o++) {
            y[o] = has & BIAS ? in[B][g * O + o] : 0;
            if (has & RESIDUAL)
                y[o] += in[RES][(size_t)(has & SOURCE ? (uint32_t)in[SRC][i] : i) * O + o];
        }
        for (uint32_t k = 0; k < I; k++) { // outputs innermost: differences call this a hundred times for each size
            const double *w = in[W] + ((size_t)g * weight_rows(size) + k) * O;
            for (uint32_t o = 0; o < O; o++)
                y[o] += x[k] * w[o];
        }
        for (uint32_t o = 0; o < O; o++) {
            bool *open = &gate[(size_t)i * O + o];
            if (gate_due)
                *open = !(has & RELU) || y[o] > 0;
            y[o] = *open ? y[o] : 0;
        }
    }
    gate_due = false;
}

static struct linear layer(const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    uint32_t has = size[4];
    struct linear l = { .y = out[0], .x = in[X], .w = in[W], .relu = has & RELU };
    if (size[0] == 1 || (has & ONE_W)) // the same as an absent list
        l.w.rank = 2, l.w.dim[0] = size[2], l.w.dim[1] = size[3];
    if (has & REPEAT)
        l.repeat = 2;
    if (has & STRIDED)
        l.w.dim[1] = size[2], l.stride = weight_rows(size);
    if (has & BIAS)
        l.bias = in[B];
    if (has & RESIDUAL)
        l.residual = in[RES];
    if (has & SOURCE)
        l.source = in[SRC];
    if (has & RAGGED)
        l.rows = in[ROWS];
    return l;
}

static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    struct linear l = layer(size, in, out);
    gate_due = true;
    if (size[4] & RAGGED)
        cmd_fill(c, l.y.address, 4 * tensor_count(&l.y), 0);
    nn_linear(c, &l);
}

static void backward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out,
    const struct tensor *dout, const struct tensor *din)
{
    struct linear l = layer(size, in, out);
    if ((size[4] & RAGGED) && !(size[4] & ADD))
        cmd_fill(c, din[X].address, 4 * tensor_count(&din[X]), 0);
    nn_linear_dx(c, din[X], dout[0], &l, size[4] & ADD);
    struct tensor dw = { din[W].address, l.w.rank, { l.w.dim[0], l.w.dim[1], l.w.dim[2] } };
    nn_linear_dw(c, dw, size[4] & BIAS ? din[B] : (struct tensor){ 0 }, in[SCRATCH], dout[0], &l);
}

static MunitResult test_linear(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = {
        { 1, 37, 128, 512, BIAS | RELU },
        { 1, 33, 129, 131, BIAS | RESIDUAL | RELU | ADD },
        { 3, 83, 128, 128, BIAS | RESIDUAL | SOURCE | RAGGED },
        { 4, 45, 7, 33, BIAS | RELU | REPEAT | RAGGED },
        { 3, 600, 24, 40, BIAS | RELU | RAGGED | ONE_W },
        { 1, 1, 1, 1, BIAS },
        { 1, 5, 2, 3, BIAS | RELU },
        { 1, 67, 8, 128, BIAS },
        { 1, 133, 128, 128, 0 },
        { 1, 37, 512, 128, BIAS | RESIDUAL },
        { 1, 19, 136, 1, BIAS },
        { 1, 35, 256, 384, 0 },
        { 3, 83, 128, 128, BIAS | SHARED },
        { 4, 45, 128, 256, RELU | SHARED | ADD },
        { 6, 21, 64, 128, REPEAT | ADD },
        { 2, 700, 16, 40, BIAS | RELU | RAGGED },
        { 2, 83, 128, 64, BIAS | RESIDUAL | RAGGED | ONE_W | ADD },
        { 1, 300, 64, 128, BIAS | RELU },
        { 5, 3, 3, 6, BIAS | RESIDUAL | SOURCE | RELU | ADD },
        { 5, 1, 48, 24, SHARED | ADD },
        { 3, 90, 32, 64, SHARED | ADD | STRIDED },
        { 2, 7, 5, 9, BIAS | STRIDED },
        { 0 },
    };
    MunitResult result = kernel_test(
        &(struct kernel_test){
            .name = "linear",
            .describe = describe,
            .reference = reference,
            .forward = forward,
            .backward = backward,
            // Sums of up to 700 products in fp32, each rounded by 6e-8 of sums that are no larger than the largest.
            .tolerance = 1e-5,
            .grad_tolerance = 2e-5, // and the rounding of the differences
            .sizes = sizes,
            .heap = 5,
        },
        params);
    free(gate);
    gate = NULL;
    return result;
}

// Several layers with the same weights see the same rows, alone and among others.
struct setting {
    uint32_t G, R, rows, begin; // rows in use of each group, and the first
    struct linear layer;
    struct tensor dx, dy;
};

static void layout(struct setting *s, struct arena *arena, uint32_t I, uint32_t O)
{
    uint32_t G = s->G, R = s->R;
    s->layer = (struct linear){ .y = tensor_allocate(arena, 2, G * R, O),
        .x = tensor_allocate(arena, 2, G * R, I),
        .w = tensor_allocate(arena, 3, G, I, O),
        .bias = tensor_allocate(arena, 2, G, O),
        .rows = tensor_allocate(arena, 2, G, 2),
        .max_rows = s->begin ? s->rows : 0,
        .relu = true };
    s->dx = tensor_allocate(arena, 2, G * R, I);
    s->dy = tensor_allocate(arena, 2, G * R, O);
}

static void repeat(struct gpu *gpu, struct tensor to, const void *from, uint32_t times)
{
    uint64_t bytes = 4 * tensor_count(&to) / times;
    for (uint32_t i = 0; i < times; i++)
        test_ok(gpu_upload(gpu, to.address + i * bytes, from, bytes));
}

static uint32_t source_row(uint32_t i, uint32_t rows)
{
    return (i * 7 + 3) % rows;
}

// Rows of the first setting, in another order, in every group of this one. What lies outside the rows in use is NaN.
static void run_setting(
    struct gpu *gpu, struct setting *s, const struct setting *first, float *const *value, float **y, float **dx)
{
    uint32_t I = tensor_cols(&s->dx), O = tensor_cols(&s->dy), *rows = xcalloc(s->G, 8);
    float *x = xcalloc((size_t)s->R * I, 4), *dy = xcalloc((size_t)s->R * O, 4);
    memset(x, 0xff, 4 * (size_t)s->R * I);
    memset(dy, 0xff, 4 * (size_t)s->R * O);
    for (uint32_t i = 0; i < s->rows; i++) {
        memcpy(x + (size_t)(s->begin + i) * I, value[0] + (size_t)source_row(i, first->R) * I, 4 * I);
        memcpy(dy + (size_t)(s->begin + i) * O, value[3] + (size_t)source_row(i, first->R) * O, 4 * O);
    }
    for (uint32_t g = 0; g < s->G; g++)
        rows[2 * g] = s->begin, rows[2 * g + 1] = s->rows;
    repeat(gpu, s->layer.x, x, s->G);
    repeat(gpu, s->dy, dy, s->G);
    repeat(gpu, s->layer.w, value[1], s->G);
    repeat(gpu, s->layer.bias, value[2], s->G);
    test_ok(tensor_upload(gpu, s->layer.rows, rows));
    struct cmd *c = cmd_create(gpu);
    cmd_fill(c, s->layer.y.address, 4 * tensor_count(&s->layer.y), 0xffffffff);
    cmd_fill(c, s->dx.address, 4 * tensor_count(&s->dx), 0xffffffff);
    nn_linear(c, &s->layer);
    nn_linear_dx(c, s->dx, s->dy, &s->layer, false);
    test_ok(cmd_run(c));
    cmd_destroy(&c);
    *y = xcalloc(tensor_count(&s->layer.y), 4);
    *dx = xcalloc(tensor_count(&s->dx), 4);
    test_ok(tensor_download(gpu, *y, s->layer.y) && tensor_download(gpu, *dx, s->dx));
    free(x), free(dy), free(rows);
}

// Row i of every group must be what the row it was made from is in the first setting; the rest must be untouched.
static void compare_rows(const struct setting *s, const float *found, const float *expected, uint32_t cols, uint32_t R0)
{
    uint32_t *inverse = xcalloc(R0, 4), untouched = 0xffffffff;
    for (uint32_t i = 0; i < R0; i++)
        inverse[source_row(i, R0)] = i;
    for (uint32_t i = 0; i < s->G * s->R; i++) {
        const float *row = found + (size_t)i * cols;
        if (i % s->R >= s->begin && i % s->R < s->begin + s->rows) {
            const uint32_t from = source_row(i % s->R - s->begin, R0);
            munit_assert_memory_equal(4 * cols, row, expected + (size_t)inverse[from] * cols);
        } else {
            munit_assert_memory_equal(4, row, &untouched);
            munit_assert_memory_equal(4, row + cols - 1, &untouched);
        }
    }
    free(inverse);
}

static void compare_settings(struct gpu *gpu, uint32_t I, uint32_t O)
{
    // Rows for every form of the product, which must all give the same.
    struct setting settings[] = { { 1, 331, 331 }, { 1, 1, 1 }, { 3, 64, 19, 7 }, { 2, 1300, 1223, 77 }, { 1, 700, 2 },
        { 2, 4100, 211, 1000 } };
    enum { COUNT = sizeof settings / sizeof *settings };
    const int count = I % 4 ? COUNT - 1 : COUNT; // the largest has kernels of its own, which take long to compile
    struct arena *arena = arena_create(gpu, "settings");
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++)
            layout(&settings[i], arena, I, O);
        if (!pass)
            test_ok(arena_back(arena));
    }
    uint32_t counts[4] = { settings[0].R * I, I * O, O, settings[0].R * O };
    float *value[4], *y[COUNT], *dx[COUNT];
    for (int i = 0; i < 4; i++) {
        value[i] = xcalloc(counts[i], 4);
        for (uint32_t k = 0; k < counts[i]; k++)
            value[i][k] = (float)(munit_rand_double() - 0.5);
    }
    for (int i = 0; i < count; i++) {
        run_setting(gpu, &settings[i], &settings[0], value, &y[i], &dx[i]);
        compare_rows(&settings[i], y[i], y[0], O, settings[0].R);
        compare_rows(&settings[i], dx[i], dx[0], I, settings[0].R);
    }
    for (int i = 0; i < count; i++)
        free(y[i]), free(dx[i]);
    for (int i = 0; i < 4; i++)
        free(value[i]);
    arena_destroy(&arena);
}

// A row's result and gradient are the same bytes whatever the batch and the groups around it.
static MunitResult test_batch(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    compare_settings(gpu, 128, 128);
    compare_settings(gpu, 9, 33);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/linear", test_linear, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/batch", test_batch, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/linear", tests)
