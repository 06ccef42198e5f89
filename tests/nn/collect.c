#include "kernel.h"
#include "suite.h"

enum { GAP = 3 };   // floats between the rows of the sums
enum { PARTS = 3 }; // each with rows of all groups

// Sizes: groups, rows of each, columns.
static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    in[0] = (struct slot){ "from", 2, { PARTS * size[0] * size[1], size[2] } };
    out[0] = (struct slot){ "to", 2, { size[0], size[2] + GAP } };
}

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    const uint32_t G = size[0], R = size[1], C = size[2];
    for (uint32_t i = 0; i < G * (C + GAP); i++) {
        uint32_t g = i / (C + GAP), c = i % (C + GAP);
        out[0][i] = 0;
        for (uint32_t r = 0; c < C && r < PARTS * R; r++)
            out[0][i] += 2 * in[0][((r / R * G + g) * R + r % R) * C + c]; // collected twice
    }
}

static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    struct tensor to = { out[0].address, 2, { size[0], size[2] } };
    cmd_fill(c, out[0].address, 4 * tensor_count(&out[0]), 0);
    nn_collect_add(c, to, size[2] + GAP, in[0], PARTS);
    nn_collect_add(c, to, size[2] + GAP, in[0], PARTS);
}

static MunitResult test_collect(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 1, 1, 1 }, { 3, 7, 33 }, { 2, 515, 48 }, { 0 } };
    // Each of R additions rounds to 6e-8 of a sum that is about as large as the largest.
    return kernel_test(&(struct kernel_test){ .name = "collect",
                           .describe = describe,
                           .reference = reference,
                           .forward = forward,
                           .tolerance = 1e-5,
                           .sizes = sizes },
        params);
}

static MunitTest tests[] = {
    { "/collect", test_collect, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/collect", tests)
