#include "kernel.h"
#include "tests/nn/suites.h"

static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    in[0] = (struct slot){ "from", 2, { size[0], size[1] } };
    out[0] = (struct slot){ "to", 1, { size[1] } };
}

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    for (uint32_t c = 0; c < size[1]; c++) {
        out[0][c] = 0;
        for (uint32_t r = 0; r < size[0]; r++)
            out[0][c] += 2 * in[0][r * size[1] + c]; // collected twice
    }
}

static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    cmd_fill(c, out[0].at, 4ull * size[1], 0);
    nn_collect_add(c, out[0], in[0]);
    nn_collect_add(c, out[0], in[0]);
}

static MunitResult test_collect(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 1, 1 }, { 7, 33 }, { 515, 48 }, { 0 } };
    // Each of R additions rounds to 6e-8 of a sum that is about as large as the largest.
    return kernel_test(&(struct kernel_test){ .name = "collect",
                           .describe = describe,
                           .reference = reference,
                           .forward = forward,
                           .tolerance = 1e-5,
                           .sizes = sizes },
        params);
}

MunitTest nn_collect_tests[] = {
    { "/collect", test_collect, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_flavours },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
