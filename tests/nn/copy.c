#include <string.h>

#include "kernel.h"
#include "tests/nn/suites.h"

static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    in[0] = (struct slot){ "from", 1, { size[0] } };
    out[0] = (struct slot){ "to", 1, { size[0] } };
}

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    memcpy(out[0], in[0], size[0] * sizeof(double));
}

static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    (void)size;
    nn_copy(c, out[0], in[0]);
}

static MunitResult test_copy(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 1 }, { 2 }, { 3 }, { 31 }, { 64 }, { 1025 }, { 100003 }, { 0 } };
    return kernel_test(
        &(struct kernel_test){
            .name = "copy", .describe = describe, .reference = reference, .forward = forward, .sizes = sizes },
        params);
}

// to = from, then += from once more.
static void reference_add(const uint32_t *size, const double *const *in, double *const *out)
{
    for (uint32_t i = 0; i < size[0]; i++)
        out[0][i] = 2 * in[0][i];
}

static void forward_add(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    (void)size;
    nn_copy(c, out[0], in[0]);
    nn_add(c, out[0], in[0]);
}

static MunitResult test_add(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t sizes[][SIZES] = { { 1 }, { 2 }, { 1025 }, { 0 } };
    return kernel_test(
        &(struct kernel_test){
            .name = "add", .describe = describe, .reference = reference_add, .forward = forward_add, .sizes = sizes },
        params);
}

MunitTest nn_copy_tests[] = {
    { "/copy", test_copy, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_flavours },
    { "/add", test_add, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_flavours },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
