#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "rows.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

// Sizes. `entries`: groups of NORM_BATCH, given entries of NORM_GIVEN.
enum { SEGMENTS, MAX_ROWS, CHANNELS, MODE, RAGGED, ENTRIES, RESIDUAL, DSTATS };
enum { X, REST, GAIN, BIAS, FIRST, COUNT, SCRATCH, STATS_IN, INDEX }; // inputs
enum { Y, HAT, STATS };                                               // outputs

static struct rows rows_at(const uint32_t *size)
{
    return (struct rows){ .S = size[SEGMENTS], .N = size[MAX_ROWS], .ragged = size[RAGGED] };
}

static struct norm norm_at(const uint32_t *size, struct segments seg)
{
    return (struct norm){ .mode = (enum nn_norm_mode)size[MODE], .seg = seg, .G = size[ENTRIES] };
}

static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    struct rows rows = rows_at(size);
    uint32_t R = rows_total(&rows), S = size[SEGMENTS], D = size[CHANNELS];
    struct norm norm = norm_at(size, (struct segments){ S, size[MAX_ROWS], 0, 0 });
    in[X] = (struct slot){ "x", 2, { R, D } };
    in[REST] = (struct slot){ "residual", 2, { R, D }, .fixed = true }; // its gradient is that of x
    in[GAIN] = (struct slot){ "gain", 1, { D }, .weight = true };
    in[BIAS] = (struct slot){ "bias", 1, { D }, .weight = true };
    rows_describe(&rows, &in[FIRST], &in[COUNT]);
    in[SCRATCH] = (struct slot){ "scratch", 1, { (uint32_t)nn_norm_scratch(&norm, D) }, .fixed = true };
    out[Y] = (struct slot){ "y", 2, { R, D } };
    out[HAT] = (struct slot){ "hat", 2, { R, D }, .saved = true };
    bool saved = !size[DSTATS];
    if (norm.mode == NORM_INSTANCE)
        out[STATS] = (struct slot){ "stats", 3, { S, 2, D }, .saved = saved };
    if (norm.mode == NORM_BATCH)
        out[STATS] = (struct slot){ "stats", 3, { norm.G, 2, D }, .saved = saved };
    if (norm.mode == NORM_LAYER)
        out[STATS] = (struct slot){ "stats", 2, { R, 2 }, .saved = true };
    if (norm.mode == NORM_GIVEN) {
        in[STATS_IN] =
            (struct slot){ "stats", 3, { size[ENTRIES], 2, D }, VALUES_POSITIVE, .weight = true, .fixed = saved };
        in[INDEX] = (struct slot){ "index", 1, { S }, VALUES_INDEX, size[ENTRIES] };
    }
}

// The statistics and normalised values of the n elements z[0], z[step], ... that `pick` lists.
static void normalise(uint32_t n, const uint32_t *pick, const double *z, double *hat, double *mean, double *variance)
{
    *mean = *variance = 0;
    for (uint32_t i = 0; i < n; i++)
        *mean += z[pick[i]];
    *mean = n ? *mean / n : 0; // exact where all are equal
    for (uint32_t i = 0; i < n; i++)
        *variance += (z[pick[i]] - *mean) * (z[pick[i]] - *mean) / n;
    for (uint32_t i = 0; i < n; i++)
        hat[pick[i]] = (z[pick[i]] - *mean) / sqrt(*variance + 1e-5);
}

// Lists the elements of channel d in segments from..to-1.
static uint32_t pick_channel(
    const struct rows *rows, uint32_t from, uint32_t to, uint32_t D, uint32_t d, uint32_t *pick)
{
    uint32_t n = 0;
    for (uint32_t s = from; s < to; s++) {
        for (uint32_t r = 0; r < rows_of(rows, s); r++)
            pick[n++] = (rows_first(rows, s) + r) * D + d;
    }
    return n;
}

static void normalise_rows(const uint32_t *size, const double *z, double *hat, double *stats)
{
    struct rows rows = rows_at(size);
    uint32_t D = size[CHANNELS];
    uint32_t *pick = xcalloc(D, sizeof *pick);
    for (uint32_t s = 0; s < rows.S; s++) {
        for (uint32_t r = rows_first(&rows, s); r < rows_first(&rows, s) + rows_of(&rows, s); r++) {
            for (uint32_t d = 0; d < D; d++)
                pick[d] = r * D + d;
            normalise(D, pick, z, hat, &stats[2 * r], &stats[2 * r + 1]);
        }
    }
    free(pick);
}

static void normalise_groups(const uint32_t *size, uint32_t G, const double *z, double *hat, double *stats)
{
    struct rows rows = rows_at(size);
    uint32_t D = size[CHANNELS], per = rows.S / G;
    uint32_t *pick = xcalloc(rows_total(&rows), sizeof *pick);
    for (uint32_t g = 0; g < G; g++) {
        for (uint32_t d = 0; d < D; d++) {
            uint32_t n = pick_channel(&rows, g * per, (g + 1) * per, D, d, pick);
            normalise(n, pick, z, hat, &stats[2 * g * D + d], &stats[(2 * g + 1) * D + d]);
        }
    }
    free(pick);
}

static void normalise_given(
    const uint32_t *size, const double *z, double *hat, const double *stats, const double *index)
{
    struct rows rows = rows_at(size);
    uint32_t D = size[CHANNELS];
    uint32_t *pick = xcalloc(rows_total(&rows), sizeof *pick);
    for (uint32_t s = 0; s < rows.S; s++) {
        uint32_t entry = (uint32_t)index[s];
        for (uint32_t d = 0; d < D; d++) {
            double mean = stats[2 * entry * D + d], variance = stats[(2 * entry + 1) * D + d];
            for (uint32_t n = pick_channel(&rows, s, s + 1, D, d, pick); n--;)
                hat[pick[n]] = (z[pick[n]] - mean) / sqrt(variance + 1e-5);
        }
    }
    free(pick);
}

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    struct rows rows = rows_at(size);
    uint32_t D = size[CHANNELS], count = rows_total(&rows) * D;
    double *z = xcalloc(count, sizeof *z);
    memset(out[HAT], 0, count * sizeof(double));
    for (uint32_t i = 0; i < count; i++)
        z[i] = in[X][i] + (size[RESIDUAL] ? in[REST][i] : 0);
    if (size[MODE] == NORM_LAYER)
        normalise_rows(size, z, out[HAT], out[STATS]);
    else if (size[MODE] == NORM_GIVEN)
        normalise_given(size, z, out[HAT], in[STATS_IN], in[INDEX]);
    else
        normalise_groups(size, size[MODE] == NORM_BATCH ? size[ENTRIES] : rows.S, z, out[HAT], out[STATS]);
    for (uint32_t s = 0; s < rows.S; s++) {
        uint32_t first = rows_first(&rows, s);
        for (uint32_t i = first * D; i < (first + rows_of(&rows, s)) * D; i++)
            out[Y][i] = in[GAIN][i % D] * out[HAT][i] + in[BIAS][i % D];
    }
    free(z);
}

static struct norm norm_of(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    struct rows rows = rows_at(size);
    struct norm norm = norm_at(size, rows_segments(c, &rows, in[FIRST], in[COUNT]));
    norm.scratch = in[SCRATCH];
    norm.stats = size[MODE] == NORM_GIVEN ? in[STATS_IN] : out[STATS];
    if (size[MODE] == NORM_GIVEN && size[ENTRIES] > 1)
        norm.index = in[INDEX];
    return norm;
}

static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    struct rows rows = rows_at(size);
    struct norm norm = norm_of(c, size, in, out);
    struct tensor none = { 0 };
    const uint32_t nan = 0x7fc00000;
    rows_fill_unowned(c, &rows, in[X], nan);
    rows_fill_unowned(c, &rows, in[REST], nan);
    rows_fill_unowned(c, &rows, out[Y], 0);
    rows_fill_unowned(c, &rows, out[HAT], 0);
    if (size[MODE] == NORM_LAYER)
        rows_fill_unowned(c, &rows, out[STATS], 0);
    nn_norm(c, out[Y], out[HAT], &norm, in[X], size[RESIDUAL] ? in[REST] : none, in[GAIN], in[BIAS]);
}

static void backward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out,
    const struct tensor *dout, const struct tensor *din)
{
    struct rows rows = rows_at(size);
    struct norm norm = norm_of(c, size, in, out);
    struct tensor dstats = { 0 };
    norm.scratch = din[SCRATCH]; // which has guards that are looked at
    if (size[DSTATS])
        dstats = size[MODE] == NORM_GIVEN ? din[STATS_IN] : dout[STATS];
    rows_fill_unowned(c, &rows, din[X], 0);
    nn_norm_back(c, din[X], din[GAIN], din[BIAS], dstats, dout[Y], out[HAT], &norm, in[GAIN]);
}

static MunitResult check(const uint32_t (*sizes)[SIZES], const MunitParameter params[])
{
    return kernel_test(&(struct kernel_test){ .name = "norm",
                           .describe = describe,
                           .reference = reference,
                           .forward = forward,
                           .backward = backward,
                           // x + residual is rounded by up to 1e-7 of its value, and a small deviation (at least
                           // sqrt(1e-5)) can make 2e-5 of it.
                           .tolerance = 2e-5,
                           // The differences of the reference are curved where few rows have nearly equal values.
                           .grad_tolerance = 1e-4,
                           .sizes = sizes,
                           .heap = 3 },
        params);
}

static MunitResult test_instance(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 3, 21, 128, NORM_INSTANCE, 0, 0, 1, 1 },
        { 2, 33, 17, NORM_INSTANCE, 0, 0, 1, 0 }, { 7, 70, 66, NORM_INSTANCE, 1, 0, 0, 0 },
        { 1, 1, 16, NORM_INSTANCE, 0, 0, 0, 0 }, { 2, 32, 66, NORM_INSTANCE, 0, 0, 0, 1 },
        { 2, 101, 128, NORM_INSTANCE, 0, 0, 1, 1 }, { 12, 20, 128, NORM_INSTANCE, 1, 0, 1, 1 },
        { 300, 3, 16, NORM_INSTANCE, 0, 0, 0, 0 }, { 1, 1003, 16, NORM_INSTANCE, 0, 0, 0, 0 }, { 0 } };
    return check(sizes, params);
}

static MunitResult test_layer(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 3, 21, 128, NORM_LAYER, 0, 0, 1, 0 },
        { 2, 33, 17, NORM_LAYER, 0, 0, 1, 0 }, { 12, 20, 66, NORM_LAYER, 1, 0, 1, 0 },
        { 1, 1, 16, NORM_LAYER, 0, 0, 0, 0 }, { 1, 3, 256, NORM_LAYER, 0, 0, 0, 0 },
        { 300, 3, 16, NORM_LAYER, 0, 0, 0, 0 }, { 0 } };
    return check(sizes, params);
}

static MunitResult test_batch(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 6, 21, 128, NORM_BATCH, 0, 1, 1, 1 },
        { 6, 33, 17, NORM_BATCH, 0, 2, 1, 0 }, { 40, 20, 66, NORM_BATCH, 1, 5, 1, 1 },
        { 1, 3, 16, NORM_BATCH, 0, 1, 0, 0 }, { 600, 2, 16, NORM_BATCH, 0, 1, 0, 0 },
        { 600, 1, 16, NORM_BATCH, 0, 30, 0, 1 }, { 0 } };
    return check(sizes, params);
}

static MunitResult test_given(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 3, 21, 128, NORM_GIVEN, 0, 1, 1, 0 },
        { 6, 33, 17, NORM_GIVEN, 0, 2, 1, 1 }, { 40, 20, 66, NORM_GIVEN, 1, 5, 1, 1 },
        { 1, 1, 16, NORM_GIVEN, 0, 1, 0, 0 }, { 4, 101, 128, NORM_GIVEN, 0, 7, 0, 1 }, { 0 } };
    return check(sizes, params);
}

// Device tensors of a plain test.
struct bed {
    struct gpu *gpu;
    struct arena *arena;
    struct tensor x, y, stats, gain, bias, scratch;
    struct norm norm;
};

static struct bed bed_create(struct gpu *gpu, enum nn_norm_mode mode, uint32_t S, uint32_t N, uint32_t D)
{
    struct bed bed = { .gpu = gpu, .arena = arena_create(gpu, "norm") };
    struct norm norm = { .mode = mode, .seg = { S, N, 0, 0 }, .G = 1 };
    for (int pass = 0; pass < 2; pass++) {
        bed.x = tensor_allocate(bed.arena, 2, S * N, D);
        bed.y = tensor_allocate(bed.arena, 2, S * N, D);
        bed.gain = tensor_allocate(bed.arena, 1, D);
        bed.bias = tensor_allocate(bed.arena, 1, D);
        norm.scratch = tensor_allocate(bed.arena, 1, (uint32_t)nn_norm_scratch(&norm, D));
        norm.stats = mode == NORM_LAYER ? tensor_allocate(bed.arena, 2, S * N, 2)
                                        : tensor_allocate(bed.arena, 3, mode == NORM_BATCH ? 1 : S, 2, D);
        if (!pass)
            test_ok(arena_back(bed.arena));
    }
    bed.norm = norm;
    return bed;
}

static void bed_run(struct bed *bed, const float *x, float *y)
{
    uint32_t D = tensor_cols(&bed->x), one = 0x3f800000;
    struct cmd *c = cmd_create(bed->gpu);
    test_ok(tensor_upload(bed->gpu, bed->x, x));
    cmd_fill(c, bed->gain.address, 4 * D, one);
    cmd_fill(c, bed->bias.address, 4 * D, 0);
    nn_norm(c, bed->y, (struct tensor){ 0 }, &bed->norm, bed->x, (struct tensor){ 0 }, bed->gain, bed->bias);
    test_ok(cmd_run(c) && tensor_download(bed->gpu, y, bed->y));
    cmd_destroy(&c);
}

enum { WIDE = 66, ROWS = 4 * 37, VALUES = ROWS * WIDE };

// A common offset of 1e4 over noise of about 1: the mean is worth 5e-4 (half a unit of its last place) where it is
// rounded before it is used, which is only across segments.
static MunitResult test_offset(const MunitParameter params[], void *data)
{
    (void)data;
    static const double allowed[] = { 1e-5, 1e-5, 1e-3 };
    TEST_GPU(gpu, params);
    for (int mode = NORM_INSTANCE; mode <= NORM_BATCH; mode++) {
        uint32_t size[SIZES] = { 4, 37, WIDE, (uint32_t)mode, 0, 1, 0, 0 };
        float *x = xcalloc(VALUES, sizeof *x), *y = xcalloc(VALUES, sizeof *y);
        double *in = xcalloc(VALUES, sizeof *in), *hat = xcalloc(VALUES, sizeof *hat),
               *ones = xcalloc(WIDE, sizeof *ones), *zeros = xcalloc(WIDE, sizeof *zeros),
               *expected = xcalloc(VALUES, sizeof *expected), *stats = xcalloc(VALUES, sizeof *stats);
        for (uint32_t i = 0; i < VALUES; i++)
            in[i] = x[i] = (float)(1e4 + 4 * munit_rand_double());
        for (uint32_t d = 0; d < WIDE; d++)
            ones[d] = 1;
        struct bed bed = bed_create(gpu, (enum nn_norm_mode)mode, 4, 37, WIDE);
        bed_run(&bed, x, y);
        reference(size, (const double *[]){ in, NULL, ones, zeros }, (double *[]){ expected, hat, stats });
        for (uint32_t i = 0; i < VALUES; i++)
            munit_assert_double(fabs(y[i] - expected[i]), <=, allowed[mode]);
        arena_destroy(&bed.arena);
        free(x), free(y), free(in), free(hat), free(ones), free(zeros), free(expected), free(stats);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

// An instance's values do not depend on those next to it, to the last bit.
static MunitResult test_alone(const MunitParameter params[], void *data)
{
    (void)data;
    enum { N = 37 };
    TEST_GPU(gpu, params);
    float *x = xcalloc(VALUES, sizeof *x), *together = xcalloc(VALUES, sizeof *x), *alone = xcalloc(VALUES, sizeof *x);
    for (uint32_t i = 0; i < VALUES; i++)
        x[i] = (float)munit_rand_double();
    for (int mode = NORM_INSTANCE; mode <= NORM_LAYER; mode++) {
        struct bed four = bed_create(gpu, (enum nn_norm_mode)mode, 4, N, WIDE);
        struct bed one = bed_create(gpu, (enum nn_norm_mode)mode, 1, N, WIDE);
        bed_run(&four, x, together);
        bed_run(&one, x + 2 * N * WIDE, alone);
        munit_assert_memory_equal(sizeof(float) * N * WIDE, alone, together + 2 * N * WIDE);
        arena_destroy(&four.arena);
        arena_destroy(&one.arena);
    }
    free(x), free(together), free(alone);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/instance", test_instance, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/layer", test_layer, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/batch", test_batch, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/given", test_given, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/offset", test_offset, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/alone", test_alone, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/norm", tests)
