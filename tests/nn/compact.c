#include <stdlib.h>

#include "device.h"
#include "nn/nn.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

static void layout(struct arena *arena, struct compact *to, struct tensor *keys, struct tensor *instance, uint32_t T,
    uint32_t N, uint32_t G)
{
    nn_compact_layout(to, arena, T, 2, 2 * (T / G) * N, G);
    to->keys = tensor_allocate(arena, 2, 2 * T, (N + 31) / 32);
    *keys = tensor_allocate(arena, 2, T, (N + 31) / 32);
    *instance = tensor_allocate(arena, 1, T);
}

static void compare(struct gpu *gpu, uint32_t T, uint32_t N, uint32_t G)
{
    uint32_t W = (N + 31) / 32, room = 2 * (T / G) * N, rows = G * room;
    struct arena *arena = arena_create(gpu, "sets");
    struct compact to;
    struct tensor keys, instance;
    layout(arena, &to, &keys, &instance, T, N, G);
    test_ok(arena_back(arena));
    layout(arena, &to, &keys, &instance, T, N, G);
    uint32_t *bits = xcalloc(T * W, 4), *of = xcalloc(T, 4);
    for (uint32_t i = 0; i < T * N; i++) {
        uint32_t t = i / N, v = i % N; // some sets empty, some full, most mixed
        bool in = t % 7 == 1 ? false : t % 7 == 2 ? true : munit_rand_uint32() & 1;
        bits[t * W + v / 32] |= (uint32_t)in << (v % 32);
    }
    for (uint32_t t = 0; t < T; t++)
        of[t] = munit_rand_uint32() % 50;
    struct cmd *c = cmd_create(gpu);
    for (uint32_t set = 0; set < 2; set++) { // the same keys twice
        struct compact part = nn_compact_set(&to, T, set);
        nn_compact(c, &part, keys, instance, N, set);
    }
    test_ok(tensor_upload(gpu, keys, bits) && tensor_upload(gpu, instance, of) && cmd_run(c));
    uint32_t *first = xcalloc(2 * T, 4), *count = xcalloc(2 * T, 4), *span = xcalloc(4 * G, 4),
             *whole = xcalloc(2 * G, 4), *copy = xcalloc(2 * T * W, 4), *node = xcalloc(rows, 4),
             *source = xcalloc(rows, 4);
    test_ok(tensor_download(gpu, first, to.first) && tensor_download(gpu, count, to.rows) &&
            tensor_download(gpu, span, to.span) && tensor_download(gpu, whole, to.whole) &&
            tensor_download(gpu, node, to.node) && tensor_download(gpu, source, to.source) &&
            tensor_download(gpu, copy, to.keys));
    for (uint32_t set = 0; set < 2; set++)
        munit_assert_memory_equal(4 * T * W, copy + set * T * W, bits);
    for (uint32_t g = 0; g < G; g++) {
        uint32_t row = g * room;
        for (uint32_t set = 0; set < 2; set++) {
            munit_assert_uint32(span[2 * (set * G + g)], ==, row - g * room);
            for (uint32_t t = g * (T / G); t < (g + 1) * (T / G); t++) {
                munit_assert_uint32(first[set * T + t], ==, row);
                for (uint32_t v = 0; v < N; v++) {
                    if (!(bits[t * W + v / 32] >> (v % 32) & 1))
                        continue;
                    munit_assert_uint32(node[row], ==, v);
                    munit_assert_uint32(source[row], ==, of[t] * N + v);
                    row++;
                }
                munit_assert_uint32(count[set * T + t], ==, row - first[set * T + t]);
            }
            munit_assert_uint32(span[2 * (set * G + g) + 1], ==, row - g * room - span[2 * (set * G + g)]);
        }
        munit_assert_uint32(whole[2 * g], ==, 0);
        munit_assert_uint32(whole[2 * g + 1], ==, row - g * room);
    }
    free(bits), free(of), free(first), free(count), free(span), free(whole), free(copy), free(node), free(source);
    cmd_destroy(&c);
    arena_destroy(&arena);
}

// dx[source[r]] += dy[r] against the list itself; rows are small whole numbers, so that sums are exact. Every
// trajectory keeps about half of the nodes, and the list has room for two thirds.
static void compare_back(struct gpu *gpu, uint32_t M, uint32_t B, uint32_t S, uint32_t N, uint32_t D)
{
    const uint32_t T = M * B * S, W = (N + 31) / 32, max_rows = (2 * N + 2) / 3;
    struct arena *arena = arena_create(gpu, "sets");
    struct compact to;
    struct tensor keys, instance, dx, dy;
    for (int backed = 0; backed < 2; backed++) {
        if (backed)
            test_ok(arena_back(arena));
        nn_compact_layout(&to, arena, T, 1, T / M * max_rows, M);
        keys = tensor_allocate(arena, 2, T, W);
        instance = tensor_allocate(arena, 1, T);
        dx = tensor_allocate(arena, 2, B * N, D);
        dy = tensor_allocate(arena, 2, T * max_rows, D);
    }
    uint32_t *bits = xcalloc(T * W, 4), *of = xcalloc(T, 4), *source = xcalloc(T * max_rows, 4), *first = xcalloc(T, 4),
             *rows = xcalloc(T, 4);
    float *from = xcalloc(T * max_rows * D, 4), *found = xcalloc(B * N * D, 4), *sum = xcalloc(B * N * D, 4);
    for (uint32_t t = 0; t < T; t++) {
        of[t] = t / S % B;
        for (uint32_t v = t % 2; v < N; v += 2)
            bits[t * W + v / 32] |= 1u << (v % 32);
    }
    for (uint32_t i = 0; i < T * max_rows * D; i++)
        from[i] = (float)(munit_rand_uint32() % 17);
    for (uint32_t i = 0; i < B * N * D; i++)
        found[i] = sum[i] = (float)(munit_rand_uint32() % 17);
    struct cmd *c = cmd_create(gpu);
    nn_compact(c, &to, keys, instance, N, false);
    nn_compact_back_add(c, dx, dy, &to, keys, M, B, S);
    test_ok(tensor_upload(gpu, keys, bits) && tensor_upload(gpu, instance, of) && tensor_upload(gpu, dy, from) &&
            tensor_upload(gpu, dx, found) && cmd_run(c) && tensor_download(gpu, found, dx) &&
            tensor_download(gpu, source, to.source) && tensor_download(gpu, first, to.first) &&
            tensor_download(gpu, rows, to.rows));
    for (uint32_t t = 0; t < T; t++) {
        for (uint32_t r = first[t]; r < first[t] + rows[t]; r++) {
            for (uint32_t i = 0; i < D; i++)
                sum[source[r] * D + i] += from[r * D + i];
        }
    }
    for (uint32_t i = 0; i < B * N * D; i++)
        munit_assert_float(found[i], ==, sum[i]);
    free(bits), free(of), free(source), free(first), free(rows), free(from), free(found), free(sum);
    cmd_destroy(&c);
    arena_destroy(&arena);
}

static MunitResult test_back(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    compare_back(gpu, 1, 1, 1, 1, 2);
    compare_back(gpu, 3, 4, 2, 21, 128);
    compare_back(gpu, 2, 3, 1, 70, 34);
    compare_back(gpu, 1, 2, 5, 33, 300);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitResult test_compact(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    compare(gpu, 1, 1, 1);
    compare(gpu, 35, 20, 5);
    compare(gpu, 34, 64, 2);
    compare(gpu, 515, 33, 5);
    compare(gpu, 9, 1003, 3);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/compact", test_compact, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/back", test_back, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/compact", tests)
