#include <string.h>

#include "kernel.h"
#include "suite.h"
#include "util/error.h"

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

// Parts that start and end anywhere; the floats around them stay.
static MunitResult test_parts(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    enum { COUNT = 300 };
    static const uint32_t parts[][3] = { { 1, 0, 99 }, { 0, 3, 98 }, { 101, 1, 97 }, { 8, 120, 1 } }; // to, from, count
    float from[COUNT], to[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        from[i] = (float)i + 1;
    struct arena *arena = arena_create(gpu, "parts");
    struct tensor x, y;
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            test_ok(arena_back(arena));
        x = tensor_allocate(arena, 1, (uint32_t)COUNT), y = tensor_allocate(arena, 1, (uint32_t)COUNT);
    }
    test_ok(tensor_upload(gpu, x, from));
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        const uint32_t *part = parts[k];
        memset(to, 0, sizeof to);
        test_ok(tensor_upload(gpu, y, to));
        struct tensor target = { y.address + 4 * part[0], 1, { part[2] } },
                      source = { x.address + 4 * part[1], 1, { part[2] } };
        struct cmd *c = cmd_create(gpu);
        nn_copy(c, target, source);
        nn_add(c, target, source);
        test_ok(cmd_run(c) && tensor_download(gpu, to, y));
        for (uint32_t i = 0; i < COUNT; i++)
            munit_assert_float(to[i], ==, i - part[0] < part[2] ? 2 * from[i - part[0] + part[1]] : 0);
        cmd_destroy(&c);
    }
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/copy", test_copy, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/add", test_add, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/parts", test_parts, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/copy", tests)
