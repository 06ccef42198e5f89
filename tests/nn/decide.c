// A decision in one kernel or in several: the same actions, to the bit, for every mode of choice, and for offers.
#include <math.h>
#include <stdlib.h>

#include "device.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

// T leaves the last workgroup of a GPU's kernel partly empty.
enum { S = 5, EACH = 7, T = S * EACH, N = 70, D = 128, H = 8, K = 4, W = (N + 31) / 32 };

enum {
    Q,
    KVL,
    ALLOWED,
    LOGP,
    SAVED,
    GIVEN_ACTION,
    INSTANCE,
    DECODER,
    STEP,
    ACTION,
    CHOSEN,
    TOTAL,
    OFFER,
    NODE,
    SCORE,
    STATE,
    TENSORS
};

struct bench {
    struct gpu *gpu;
    struct arena *arena;
    struct tensor x[TENSORS];
    struct pointer pointer;
};

static void bench_create(struct bench *b, struct gpu *gpu)
{
    const uint32_t dims[TENSORS][2] = { [Q] = { T, D },
        [KVL] = { S * N, 3 * D },
        [ALLOWED] = { T, W },
        [LOGP] = { T, N },
        [SAVED] = { T, nn_pointer_saved(D, H, N) },
        [STEP] = { 1 },
        [OFFER] = { T, K },
        [NODE] = { T, K },
        [STATE] = { T, RULES_STATE } };
    b->gpu = gpu;
    b->arena = arena_create(gpu, "a decision");
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            test_ok(arena_back(b->arena));
        for (int i = 0; i < TENSORS; i++)
            b->x[i] = tensor_allocate(b->arena, dims[i][1] ? 2 : 1, dims[i][0] ? dims[i][0] : T, dims[i][1]);
    }
    b->pointer = (struct pointer){ .slots = { .S = S, .N = N },
        .kvl = b->x[KVL],
        .allowed = b->x[ALLOWED],
        .H = H,
        .repeat = EACH,
        .clip = 10,
        .temperature = 1 };
}

static void upload(struct bench *b, int i, const void *from)
{
    test_ok(tensor_upload(b->gpu, b->x[i], from));
}

static void *download(struct bench *b, int i)
{
    void *to = xcalloc(tensor_count(&b->x[i]), 4);
    test_ok(tensor_download(b->gpu, to, b->x[i]));
    return to;
}

// Random caches with equal rows among them; one trajectory has no allowed node, one has weights that are not numbers.
static void bench_fill(struct bench *b)
{
    float *kvl = xcalloc(S * N * 3 * D, sizeof *kvl), *q = xcalloc(T * D, sizeof *q), score[T];
    uint32_t allowed[T * W], given[T], state[T * RULES_STATE] = { 0 }, step = 3;
    for (uint32_t i = 0; i < S * N * 3 * D; i++)
        kvl[i] = i / (3 * D) % 5 == 4 ? kvl[i - 3 * D] : (float)munit_rand_double() - 0.5f;
    for (uint32_t i = 0; i < T * D; i++)
        q[i] = i / D == 2 ? NAN : 4 * ((float)munit_rand_double() - 0.5f);
    for (uint32_t i = 0; i < T * W; i++)
        allowed[i] = i / W == 1 ? 0 : munit_rand_uint32();
    for (uint32_t t = 0; t < T; t++) {
        given[t] = t % 3 == 0 ? TAUGHT_GREEDY : t % 3 == 1 ? TAUGHT_SAMPLE : t % N;
        score[t] = t % 11 == 4 ? MASKED : -(float)t;
        state[t * RULES_STATE + RULES_DONE] = t % 11 == 5 ? 1 : t % 11 == 6 ? RULES_DEAD : 0;
        allowed[t * W] |= t == 3;
    }
    allowed[4 * W] = allowed[4 * W + 1] = 0, allowed[4 * W + 2] = 1; // fewer than K
    upload(b, Q, q), upload(b, KVL, kvl), upload(b, ALLOWED, allowed), upload(b, GIVEN_ACTION, given);
    upload(b, SCORE, score), upload(b, STATE, state), upload(b, STEP, &step);
    for (uint32_t t = 0; t < T; t++)
        given[t] = 7 * t;
    upload(b, INSTANCE, given), upload(b, DECODER, given);
    free(kvl), free(q);
}

static struct decision decision_of(const struct bench *b, enum choose_mode mode)
{
    return (struct decision){ .action = b->x[ACTION],
        .chosen = b->x[CHOSEN],
        .total = b->x[TOTAL],
        .how = { mode, b->x[GIVEN_ACTION], b->x[INSTANCE], b->x[DECODER], b->x[STEP].address, 77 } };
}

// The results of a decision, by one call or by one for each operation.
static void run(struct bench *b, const struct decision *decision, bool at_once, const int *which, void **results)
{
    const float zero[T] = { 0 };
    upload(b, TOTAL, zero);
    struct cmd *c = cmd_create(b->gpu);
    if (at_once) {
        nn_decide(c, decision, b->x[LOGP], b->x[SAVED], b->x[Q], &b->pointer);
    } else {
        nn_pointer(c, b->x[LOGP], b->x[SAVED], b->x[Q], &b->pointer);
        if (decision->offer)
            nn_offer(c, decision->offer, b->x[LOGP]);
        else
            nn_choose(c, decision->action, decision->chosen, decision->total, b->x[LOGP], &decision->how);
    }
    test_ok(cmd_run(c));
    cmd_destroy(&c);
    for (int i = 0; which[i] < TENSORS; i++)
        results[i] = download(b, which[i]);
}

static void compare(struct bench *b, const struct decision *decision, const int *which, void **results)
{
    void *again[TENSORS];
    run(b, decision, true, which, results);
    run(b, decision, false, which, again);
    for (int i = 0; which[i] < TENSORS; i++) {
        munit_assert_memory_equal(4 * tensor_count(&b->x[which[i]]), results[i], again[i]);
        free(again[i]);
    }
}

static MunitResult test_choose(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    static const int which[] = { ACTION, CHOSEN, TOTAL, LOGP, TENSORS };
    struct bench b;
    bench_create(&b, gpu);
    bench_fill(&b);
    for (enum choose_mode mode = GREEDY; mode <= TAUGHT; mode++) {
        struct decision decision = decision_of(&b, mode);
        uint32_t given[T];
        for (uint32_t t = 0; t < T && mode == GIVEN; t++)
            given[t] = t % N;
        if (mode == GIVEN)
            upload(&b, GIVEN_ACTION, given);
        void *results[TENSORS];
        compare(&b, &decision, which, results);
        const uint32_t *action = results[0];
        const float *chosen = results[1], *logp = results[3];
        for (uint32_t t = 0; t < T && mode == GREEDY; t++) {
            uint32_t best = 0;
            for (uint32_t n = 1; n < N && t != 2; n++)
                best = logp[t * N + n] > logp[t * N + best] ? n : best;
            if (t != 2)
                munit_assert_uint32(action[t], ==, best);
            if (t != 2)
                munit_assert_float(chosen[t], ==, t == 1 ? 0 : logp[t * N + best]);
        }
        for (uint32_t t = 0; t < T && mode != GIVEN; t++)
            munit_assert_true(t == 1 || mode == TAUGHT || !(logp[t * N + action[t]] < 0.5f * MASKED));
        for (int i = 0; which[i] < TENSORS; i++)
            free(results[i]);
        if (mode == GIVEN)
            bench_fill(&b);
    }
    arena_destroy(&b.arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitResult test_offer(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    static const int which[] = { OFFER, NODE, LOGP, SCORE, STATE, TENSORS };
    struct bench b;
    bench_create(&b, gpu);
    bench_fill(&b);
    struct offer to = { b.x[OFFER], b.x[NODE], b.x[SCORE], b.x[STATE] };
    void *results[TENSORS];
    compare(&b, &(struct decision){ .offer = &to }, which, results);
    const float *offer = results[0], *logp = results[2], *score = results[3];
    const uint32_t *node = results[1], *state = results[4];
    for (uint32_t t = 0; t < T; t++) {
        const uint32_t done = state[t * RULES_STATE + RULES_DONE];
        bool used[N] = { false };
        for (uint32_t e = 0; e < K && t != 2; e++) {
            uint32_t best = BEAM_NONE;
            for (uint32_t n = 0; n < N && score[t] > 0.5f * MASKED && !done; n++)
                if (!used[n] && logp[t * N + n] > 0.5f * MASKED &&
                    (best == BEAM_NONE || logp[t * N + n] > logp[t * N + best]))
                    best = n;
            const bool stays = score[t] > 0.5f * MASKED && done == 1 && !e;
            munit_assert_uint32(node[t * K + e], ==, stays ? 0 : best);
            munit_assert_float(offer[t * K + e], ==,
                stays               ? score[t]
                : best == BEAM_NONE ? MASKED
                                    : score[t] + logp[t * N + best]);
            if (best != BEAM_NONE)
                used[best] = true;
        }
    }
    munit_assert_uint32(node[4 * K], ==, BEAM_NONE);
    for (int i = 0; which[i] < TENSORS; i++)
        free(results[i]);
    arena_destroy(&b.arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/choose", test_choose, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/offer", test_offer, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/nn/decide", tests)
