#include <string.h>

#include "kernel.h"
#include "suite.h"

// Sizes: groups, rows, D, whether w is shared.
static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    uint32_t G = size[0], R = size[1], D = size[2];
    in[0] = (struct slot){ "w", 3, { size[3] ? 1 : G, R, 3 * D }, .weight = true };
    in[1] = (struct slot){ "out", 3, { G, D, D }, .weight = true };
    out[0] = (struct slot){ "y", 3, { G, R, 3 * D } };
}

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    uint32_t G = size[0], R = size[1], D = size[2];
    for (uint32_t row = 0; row < G * R; row++) {
        const double *w = in[0] + (size[3] ? row % R : row) * 3 * D, *project = in[1] + (size_t)(row / R) * D * D;
        double *y = out[0] + (size_t)row * 3 * D;
        memcpy(y, w, 2 * D * sizeof *y);
        for (uint32_t i = 0; i < D; i++) {
            y[2 * D + i] = 0;
            for (uint32_t o = 0; o < D; o++)
                y[2 * D + i] += w[2 * D + o] * project[i * D + o];
        }
    }
}

static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    (void)size;
    nn_fold(c, out[0], in[0], in[1]);
}

static void backward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out,
    const struct tensor *dout, const struct tensor *din)
{
    (void)size, (void)out;
    nn_fold_back(c, din[0], din[1], dout[0], in[0], in[1]);
}

static MunitResult test_fold(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 3, 5, 8, 1 }, { 2, 24, 24, 0 }, { 1, 1, 8, 0 }, { 5, 1, 40, 1 }, { 0 } };
    // Rounding n products and their sum is off by about 6e-8 sqrt(n) of a term and at worst by 6e-8 n: n is at most 40,
    // and 200 for the gradient of a w that 5 groups share.
    return kernel_test(&(struct kernel_test){ .name = "fold",
                           .describe = describe,
                           .reference = reference,
                           .forward = forward,
                           .backward = backward,
                           .tolerance = 3e-6,
                           .grad_tolerance = 1e-5,
                           .sizes = sizes,
                           .heap = 2 },
        params);
}

static MunitTest tests[] = {
    { "/fold", test_fold, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/fold", tests)
