#include <math.h>
#include <stdlib.h>

#include "kernel.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

// Sizes: B, M, S, N, D, H, whether nodes are listed. T = M*B*S trajectories, t = (m*B + b)*S + s.
enum { LOGITS, QKV, KEYS, LISTS, NODE, ROOM };

static uint32_t trajectories(const uint32_t *size)
{
    return size[0] * size[1] * size[2];
}

// Rows and relevant keys of trajectory t; the third has no key, the fifth no row.
static uint32_t rows_of(const uint32_t *size, uint32_t t)
{
    return t == 4 ? 0 : 1 + (7 * t + 2) % size[3];
}

static uint32_t first_of(const uint32_t *size, uint32_t t)
{
    uint32_t first = 0;
    for (uint32_t k = 0; k < t; k++)
        first += rows_of(size, k);
    return first;
}

static bool is_relevant(uint32_t t, uint32_t k)
{
    return t != 2 && (t == 1 || ((k * 2654435761u + t * 40503u) >> 9) % 3);
}

static uint32_t node_of(const uint32_t *size, uint32_t t, uint32_t r)
{
    return size[6] ? (5 * r + 3 * t) % size[3] : r; // a node may ask twice
}

static void describe(const uint32_t *size, struct slot *in, struct slot *out)
{
    uint32_t B = size[0], T = trajectories(size), N = size[3], D = size[4], H = size[5], R = first_of(size, T);
    in[LOGITS] = (struct slot){ "logits", 4, { B, H, N, N }, .weight = true };
    in[QKV] = (struct slot){ "qkv", 2, { B * N, 3 * D }, .weight = true };
    in[KEYS] = (struct slot){ "keys", 2, { T, (N + 31) / 32 }, .values = VALUES_INDEX, .limit = 1 };
    in[LISTS] = (struct slot){ "lists", 2, { 3, T }, .values = VALUES_INDEX, .limit = 1 }; // first, rows, instance
    in[NODE] = (struct slot){ "node", 1, { R }, .values = VALUES_INDEX, .limit = 1 };
    in[ROOM] = (struct slot){ "room", 2, { B * N, D }, .fixed = true }; // its gradient is in dv
    out[0] = (struct slot){ "mix", 2, { R, D } };
}

static void reference(const uint32_t *size, const double *const *in, double *const *out)
{
    uint32_t B = size[0], S = size[2], N = size[3], D = size[4], H = size[5], DK = D / H;
    for (uint32_t t = 0; t < trajectories(size); t++) {
        uint32_t b = t / S % B, first = first_of(size, t);
        for (uint32_t r = 0; r < rows_of(size, t); r++) {
            for (uint32_t h = 0; h < H; h++) {
                const double *logits = in[LOGITS] + (((size_t)b * H + h) * N + node_of(size, t, r)) * N;
                double *mix = out[0] + (size_t)(first + r) * D + h * DK, largest = -HUGE_VAL, total = 0;
                for (uint32_t c = 0; c < DK; c++)
                    mix[c] = 0;
                for (uint32_t k = 0; k < N; k++)
                    largest = is_relevant(t, k) ? fmax(largest, logits[k]) : largest;
                for (uint32_t k = 0; k < N; k++)
                    total += is_relevant(t, k) ? exp(logits[k] - largest) : 0;
                for (uint32_t k = 0; k < N; k++) {
                    const double *v = in[QKV] + (size_t)(b * N + k) * 3 * D + 2 * D + h * DK;
                    for (uint32_t c = 0; is_relevant(t, k) && c < DK; c++)
                        mix[c] += exp(logits[k] - largest) / total * v[c];
                }
            }
        }
    }
}

static struct segments segments(struct cmd *c, const uint32_t *size, const struct tensor *in)
{
    uint32_t T = trajectories(size), N = size[3], W = (N + 31) / 32, R = first_of(size, T);
    uint32_t *keys = xcalloc(T * W, 4), *lists = xcalloc(3 * T, 4), *node = xcalloc(R, 4);
    for (uint32_t t = 0; t < T; t++) {
        for (uint32_t k = 0; k < 32 * W; k++)
            keys[t * W + k / 32] |= (uint32_t)(k >= N || is_relevant(t, k))
                                    << k % 32; // bits past the last node mean nothing
        lists[t] = first_of(size, t), lists[T + t] = rows_of(size, t), lists[2 * T + t] = t / size[2] % size[0];
        for (uint32_t r = 0; r < rows_of(size, t); r++)
            node[first_of(size, t) + r] = node_of(size, t, r);
    }
    test_ok(tensor_upload(cmd_gpu(c), in[KEYS], keys));
    test_ok(tensor_upload(cmd_gpu(c), in[LISTS], lists));
    test_ok(tensor_upload(cmd_gpu(c), in[NODE], node));
    free(keys), free(lists), free(node);
    return (struct segments){ .S = T, .N = N, .first = in[LISTS].address, .rows = in[LISTS].address + 4 * T };
}

static void forward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out)
{
    uint32_t T = trajectories(size);
    struct tensor instance = { .address = in[LISTS].address + 8 * T, .rank = 1, .dim = { T } }, none = { 0 };
    struct segments seg = segments(c, size, in);
    nn_reattend(c, out[0], in[LOGITS], in[QKV], in[KEYS], instance, size[6] ? in[NODE] : none, seg, size[5]);
}

static void backward(struct cmd *c, const uint32_t *size, const struct tensor *in, const struct tensor *out,
    const struct tensor *dout, const struct tensor *din)
{
    (void)out;
    uint32_t rows = size[0] * size[3], D = size[4], one = 0x3f800000; // 1.0f
    struct tensor none = { 0 };
    cmd_fill(c, din[ROOM].address, 4 * tensor_count(&din[ROOM]), one);
    nn_reattend_back_add(c, din[LOGITS], din[ROOM], dout[0], in[LOGITS], in[QKV], in[KEYS], size[6] ? in[NODE] : none,
        segments(c, size, in), size[5], size[1], size[0], size[2]);
    for (uint32_t r = 0; r < rows; r++)
        cmd_copy(c, din[QKV].address + 4 * (3 * r + 2) * D, din[ROOM].address + 4 * r * D, 4 * D);
}

static MunitResult test_reattend(const MunitParameter params[], void *data)
{
    (void)data;
    // One node; few nodes and more than fit into private memory or a bit set's word; heads of several blocks of
    // channels; few instances, which a subgroup shares in the gradient, and as many as lanes, which do not.
    static const uint32_t sizes[][SIZES] = { { 3, 2, 1, 20, 128, 8, 1 }, { 2, 1, 2, 23, 15, 3, 1 },
        { 2, 3, 1, 33, 64, 4, 1 }, { 1, 1, 1, 1, 16, 1, 0 }, { 2, 2, 3, 7, 32, 2, 0 }, { 1, 2, 2, 100, 128, 8, 1 },
        { 1, 1, 2, 131, 34, 2, 1 }, { 3, 2, 1, 13, 80, 2, 1 }, { 8, 2, 1, 26, 128, 8, 1 }, { 32, 1, 1, 25, 34, 2, 0 },
        { 0 } };
    return kernel_test(&(struct kernel_test){ .name = "reattend",
                           .describe = describe,
                           .reference = reference,
                           .forward = forward,
                           .backward = backward,
                           .sizes = sizes,
                           .heap = 3,
                           .tolerance = 1e-5,        // sums of up to 131 terms and exp(), a few ulp each
                           .grad_tolerance = 2e-5 }, // the same, and central differences in steps of 1e-4
        params);
}

static MunitTest tests[] = {
    { "/reattend", test_reattend, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/reattend", tests)
