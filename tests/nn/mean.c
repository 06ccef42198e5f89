#include "kernel.h"
#include "rows.h"
#include "suite.h"

// Sizes: segments, max rows, D, ragged.
static struct rows rows_at(const uint32_t *size)
{
    return (struct rows){ .S = size[0], .N = size[1], .ragged = size[3] };
}

static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    struct rows rows = rows_at(size);
    in[0] = (struct slot){ "x", 2, { rows_total(&rows), size[2] }, .weight = true };
    rows_describe(&rows, &in[1], &in[2]);
    out[0] = (struct slot){ "mean", 2, { size[0], size[2] } };
}

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    struct rows rows = rows_at(size);
    uint32_t D = size[2];
    for (uint32_t s = 0; s < rows.S; s++) {
        uint32_t n = rows_of(&rows, s), first = rows_first(&rows, s);
        for (uint32_t d = 0; d < D; d++) {
            double sum = 0;
            for (uint32_t r = first; r < first + n; r++)
                sum += in[0][r * D + d];
            out[0][s * D + d] = n ? sum / n : 0;
        }
    }
}

static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    struct rows rows = rows_at(size);
    struct segments seg = rows_segments(c, &rows, in[1], in[2]);
    rows_fill_unowned(c, &rows, in[0], 0x7fc00000); // NaN
    nn_mean(c, out[0], seg, in[0]);
}

static void backward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out,
    const struct tensor *dout, const struct tensor *din)
{
    (void)out;
    struct rows rows = rows_at(size);
    nn_mean_back_add(c, din[0], rows_segments(c, &rows, in[1], in[2]), dout[0]);
}

static MunitResult test_mean(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 1, 1, 16, 0 }, { 3, 21, 128, 0 }, { 2, 101, 48, 0 }, { 9, 7, 17, 1 },
        { 5, 40, 130, 1 }, { 2, 1001, 16, 0 }, { 0 } };
    return kernel_test(&(struct kernel_test){ .name = "mean",
                           .describe = describe,
                           .reference = reference,
                           .forward = forward,
                           .backward = backward,
                           // A sum of n values in a row is off by n/2 roundings of the largest at worst, here n < 1001.
                           .tolerance = 1e-5,
                           // The harness's differences of a linear function, and one rounding of 1 + gradient.
                           .grad_tolerance = 1e-6,
                           .sizes = sizes },
        params);
}

static MunitTest tests[] = {
    { "/mean", test_mean, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/mean", tests)
