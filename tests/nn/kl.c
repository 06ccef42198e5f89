#include <math.h>

#include "kernel.h"
#include "shaders/args.h"
#include "suite.h"

enum { SIZE_M, SIZE_B, SIZE_N };

static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    in[0] = (struct slot){ "logp", 3, { size[SIZE_M], size[SIZE_B], size[SIZE_N] }, .weight = true };
    out[0] = (struct slot){ "kl", 1, { size[SIZE_B] } };
}

// Log-probabilities are negative; a node is masked for all decoders or for none.
static void arrange(const uint32_t *size, double *const *in)
{
    uint32_t per_decoder = size[SIZE_B] * size[SIZE_N];
    for (uint32_t i = 0; i < per_decoder; i++) {
        bool masked = munit_rand_uint32() % 4 == 0;
        for (uint32_t m = 0; m < size[SIZE_M]; m++)
            in[0][m * per_decoder + i] = masked ? (double)MASKED : -fabs(in[0][m * per_decoder + i]);
    }
}

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    uint32_t M = size[SIZE_M], B = size[SIZE_B], N = size[SIZE_N];
    for (uint32_t b = 0; b < B; b++) {
        out[0][b] = 0;
        for (uint32_t pair = 0; pair < M * M; pair++) {
            uint32_t i = pair / M, j = pair % M;
            for (uint32_t n = 0; n < N && i != j; n++) {
                double x = in[0][(i * B + b) * N + n], y = in[0][(j * B + b) * N + n];
                out[0][b] += x > 0.5 * (double)MASKED ? exp(x) * (x - y) / (M * (M - 1)) : 0;
            }
        }
    }
}

static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    (void)size;
    nn_kl(c, out[0], in[0]);
}

static void backward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out,
    const struct tensor *dout, const struct tensor *din)
{
    (void)size, (void)out;
    nn_kl_back_add(c, din[0], dout[0], in[0]);
}

static MunitResult test_kl(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 1, 3, 7 }, { 2, 1, 5 }, { 5, 33, 20 }, { 3, 17, 101 }, { 0 } };
    // Vulkan allows exp(x) an error of 3 + 2 |x| units of 6e-8, here 7e-7. A gradient is such an exponential times a
    // factor of up to 5, some 3e-6. The divergence sums M N of them that differ in sign, so that it is smaller than
    // they are together. Equal decoders have no divergence to be relative to: tame.
    return kernel_test(&(struct kernel_test){ .name = "kl",
                           .describe = describe,
                           .arrange = arrange,
                           .reference = reference,
                           .forward = forward,
                           .backward = backward,
                           .tolerance = 1e-5,
                           .grad_tolerance = 5e-6,
                           .tame = true,
                           .sizes = sizes },
        params);
}

static MunitTest tests[] = {
    { "/kl", test_kl, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/kl", tests)
