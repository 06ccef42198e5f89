#include <math.h>
#include <stdlib.h>

#include "kernel.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

// Sizes: S, N, D, H, ragged, whether gradients reach the logits and V, too. V is an output of the test only.
static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    uint32_t S = size[0], N = size[1], D = size[2], H = size[3];
    in[0] = (struct slot){ "qkv", 2, { S * N, 3 * D } };
    in[1] = (struct slot){ "rows", 2, { 2, S }, .values = VALUES_INDEX, .limit = 1 };
    out[0] = (struct slot){ "mix", 2, { S * N, D } };
    out[1] = (struct slot){ "logits", 4, { S, H, N, N }, .saved = !size[5] };
    out[2] = (struct slot){ "v", 2, { S * N, D }, .saved = !size[5] };
}

// Rows of segment s and where they start: one after the other, or dense.
static uint32_t rows_of(const uint32_t *size, uint32_t s)
{
    return size[4] ? (7 * s + 3) % (size[1] + 1) : size[1];
}

static uint32_t first_of(const uint32_t *size, uint32_t s)
{
    uint32_t first = 0;
    for (uint32_t k = 0; k < s; k++)
        first += rows_of(size, k);
    return first;
}

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    uint32_t S = size[0], N = size[1], D = size[2], H = size[3], DK = D / H;
    for (uint32_t s = 0; s < S; s++) {
        uint32_t n = rows_of(size, s), first = first_of(size, s);
        for (uint32_t h = 0; h < H; h++) {
            for (uint32_t i = 0; i < n; i++) {
                const double *q = in[0] + (size_t)(first + i) * 3 * D + h * DK;
                double *logits = out[1] + (((size_t)s * H + h) * N + i) * N, largest = -HUGE_VAL, total = 0;
                double *mix = out[0] + (size_t)(first + i) * D + h * DK;
                for (uint32_t j = 0; j < n; j++) {
                    const double *k = in[0] + (size_t)(first + j) * 3 * D + D + h * DK;
                    double sum = 0;
                    for (uint32_t x = 0; x < DK; x++)
                        sum += q[x] * k[x];
                    logits[j] = sum / sqrt(DK);
                    largest = fmax(largest, logits[j]);
                }
                double *copy = out[2] + (size_t)(first + i) * D + h * DK;
                for (uint32_t x = 0; x < DK; x++)
                    mix[x] = 0, copy[x] = q[2 * D + x];
                for (uint32_t j = 0; j < n; j++)
                    total += exp(logits[j] - largest);
                for (uint32_t j = 0; j < n; j++) {
                    const double *v = in[0] + (size_t)(first + j) * 3 * D + 2 * D + h * DK;
                    for (uint32_t x = 0; x < DK; x++)
                        mix[x] += exp(logits[j] - largest) / total * v[x];
                }
            }
        }
    }
}

static struct segments segments(struct cmd *c, const uint32_t *size, const struct tensor *in)
{
    struct segments seg = { .S = size[0], .N = size[1] };
    if (!size[4])
        return seg;
    uint32_t S = seg.S, *list = xcalloc(2 * S, sizeof *list);
    for (uint32_t s = 0; s < S; s++)
        list[s] = first_of(size, s), list[S + s] = rows_of(size, s);
    test_ok(tensor_upload(cmd_gpu(c), in[1], list));
    free(list);
    seg.first = in[1].address;
    seg.rows = in[1].address + 4 * S;
    return seg;
}

static void clear(struct cmd *c, struct tensor tensor)
{
    cmd_fill(c, tensor.address, 4 * tensor_count(&tensor), 0);
}

static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    clear(c, out[0]); // rows and logits outside the segments stay as they are
    clear(c, out[1]);
    clear(c, out[2]);
    uint32_t D = size[2], last = size[0] - 1;
    for (uint32_t r = 0; r < first_of(size, last) + rows_of(size, last); r++)
        cmd_copy(c, out[2].address + 4 * r * D, in[0].address + 4 * (3 * r + 2) * D, 4 * D);
    nn_attention(c, out[0], out[1], in[0], segments(c, size, in), size[3]);
}

static void backward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out,
    const struct tensor *dout, const struct tensor *din)
{
    struct tensor none = { 0 };
    clear(c, din[0]);
    nn_attention_back(c, din[0], dout[0], size[5] ? dout[1] : none, size[5] ? dout[2] : none, out[1], in[0],
        segments(c, size, in), size[3]);
}

static MunitResult test_attention(const MunitParameter params[], void *data)
{
    (void)data;
    // One node; odd, even and prime numbers of nodes and channels; heads of more than one block of channels; more nodes
    // than fit into private memory or into a worker's lanes; a device's lane count and its neighbours.
    static const uint32_t sizes[][SIZES] = { { 9, 20, 128, 8, 0, 1 }, { 3, 21, 15, 3, 1, 0 }, { 1, 1, 16, 1, 0, 1 },
        { 3, 2, 16, 8, 0, 0 }, { 2, 33, 30, 2, 1, 1 }, { 1, 100, 128, 8, 0, 1 }, { 2, 26, 80, 2, 1, 0 },
        { 2, 131, 34, 2, 1, 1 }, { 0 } };
    return kernel_test(&(struct kernel_test){ .name = "attention",
                           .describe = describe,
                           .reference = reference,
                           .forward = forward,
                           .backward = backward,
                           .sizes = sizes,
                           .heap = 2,
                           .tolerance = 1e-5,        // sums of up to 131 terms and exp(), a few ulp each
                           .grad_tolerance = 2e-5 }, // the same, and central differences in steps of 1e-4
        params);
}

// An instance gets the same bytes alone and next to a larger one, which other kernels serve.
static MunitResult test_company(const MunitParameter params[], void *data)
{
    (void)data;
    enum { N = 20, LARGER = 26, D = 128, H = 8 };
    TEST_GPU(gpu, params);
    struct arena *arena = arena_create(gpu, "company");
    struct tensor qkv, mix[2], logits[2], lists;
    for (int pass = 0; pass < 2; pass++) {
        qkv = tensor_allocate(arena, 2, N + LARGER, 3 * D);
        for (int k = 0; k < 2; k++)
            mix[k] = tensor_allocate(arena, 2, N + LARGER, D);
        logits[0] = tensor_allocate(arena, 4, 1, H, N, N);
        logits[1] = tensor_allocate(arena, 4, 2, H, LARGER, LARGER);
        lists = tensor_allocate(arena, 2, 2, 2);
        if (!pass)
            test_ok(arena_back(arena));
    }
    static float values[(N + LARGER) * 3 * D], found[2][(N + LARGER) * D];
    for (uint32_t i = 0; i < (N + LARGER) * 3 * D; i++)
        values[i] = (float)munit_rand_double() * 4 - 2;
    test_ok(tensor_upload(gpu, qkv, values));
    test_ok(tensor_upload(gpu, lists, (uint32_t[]){ 0, N, N, LARGER })); // first, rows
    struct cmd *c = cmd_create(gpu);
    nn_attention(c, mix[0], logits[0], qkv, (struct segments){ .S = 1, .N = N }, H);
    nn_attention(c, mix[1], logits[1], qkv, (struct segments){ 2, LARGER, lists.address, lists.address + 8 }, H);
    test_ok(cmd_run(c));
    for (int k = 0; k < 2; k++)
        test_ok(tensor_download(gpu, found[k], mix[k]));
    munit_assert_memory_equal(sizeof(float) * N * D, found[0], found[1]);
    cmd_destroy(&c);
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/attention", test_attention, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/company", test_company, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/attention", tests)
