// The device's rules against the host's judge: random walks through every problem must end, be feasible, and cost what
// the judge says. Neither side uses the other's code.
#include "env/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "judged.h"
#include "problem/generate.h"
#include "shaders/args.h"
#include "suite.h"
#include "tests/env/support.h"
#include "util/alloc.h"
#include "util/error.h"
#include "variants.h"

enum { INSTANCES = 40, WALKS = 80, WALKS_LONG = 1750 }; // walks of each size

struct walk {
    struct gpu *gpu;
    struct arena *arena;
    struct batch batch;
    struct rules rules;
    struct instance instances[INSTANCES];
    struct scaled scaled[INSTANCES];
    uint32_t T, W;
    enum batch_kind kind;
    uint32_t *action, *allowed, *keys, *state;
    uint32_t **path; // stb_ds arrays: the actions of each trajectory
};

#define FAR 7 // user's units that a depot is moved by

// Every second step at least serves a customer; split, a demand of up to 9 may take as many trips.
#define LONGEST(w) (2 * (w)->batch.N * ((w)->batch.problem->splits ? DRAW_DEMAND_MAX : 1) + 2)

static void layout(struct walk *w, const struct problem *problem, uint32_t N, bool reference)
{
    batch_layout(&w->batch, w->arena, problem, INSTANCES, N, w->kind);
    rules_layout(&w->rules, w->arena, &w->batch, w->T, LONGEST(w), reference);
}

static void start(
    struct walk *w, struct gpu *gpu, const struct problem *problem, uint32_t n, uint32_t T, enum batch_kind kind)
{
    *w = (struct walk){ .gpu = gpu, .arena = arena_create(gpu, "walks"), .T = T, .kind = kind };
    uint32_t N = n + problem->has_depot;
    w->W = (N + 31) / 32;
    for (uint32_t i = 0; i < INSTANCES; i++) {
        // Sizes from 1 to n side by side: padding must not matter.
        struct distribution distribution = { .n_min = 1, .n_max = n, .prize = PRIZE_DIST };
        if (problem->many_routes)
            distribution.capacity_min = distribution.capacity_max = (int64_t)problem->min_capacity + i % 30;
        problem->generate(&w->instances[i], &distribution, 77, i);
        if (i % 3 == 2) { // a depot far away
            w->instances[i].depot.x += FAR;
            w->instances[i].max_length += 2 * FAR;
        }
        unsigned variant = i * 37 % VARIANTS; // all of them, in another order than far depots
        if (kind == BATCH_OPTIONS)
            variant &= ~(unsigned)(VARIANT_MATRIX | VARIANT_LONLAT);
        make_variant(&w->instances[i], kind == BATCH_PLAIN ? 0 : variant, i);
        scaled_init(&w->scaled[i], &w->instances[i]);
    }
    layout(w, problem, N, false);
    test_ok(arena_back(w->arena));
    layout(w, problem, N, false);
    test_ok(batch_upload(gpu, &w->batch, 0, w->scaled, INSTANCES));
    w->action = xcalloc(T, 4);
    w->allowed = xcalloc((size_t)T * w->W, 4);
    w->keys = xcalloc((size_t)T * w->W, 4);
    w->state = xcalloc((size_t)T * RULES_STATE, 4);
    w->path = xcalloc(T, sizeof *w->path);
    for (uint32_t t = 0; t < T; t++)
        w->action[t] = t % INSTANCES;
    test_ok(tensor_upload(gpu, w->rules.instance, w->action));
}

static void end(struct walk *w)
{
    for (uint32_t i = 0; i < INSTANCES; i++) {
        instance_finish(&w->instances[i]);
        scaled_finish(&w->scaled[i]);
    }
    for (uint32_t t = 0; t < w->T; t++)
        arrfree(w->path[t]);
    free(w->action), free(w->allowed), free(w->keys), free(w->state), free(w->path);
    arena_destroy(&w->arena);
}

static uint32_t pick(const uint32_t *bits, uint32_t nodes)
{
    uint32_t count = 0, chosen = UINT32_MAX;
    for (uint32_t v = 0; v < nodes; v++) {
        if ((bits[v / 32] >> (v % 32) & 1) && munit_rand_uint32() % ++count == 0)
            chosen = v;
    }
    return chosen;
}

static bool has(const uint32_t *bits, uint32_t v)
{
    return bits[v / 32] >> (v % 32) & 1;
}

// A glimpse has every node that may be chosen next, and the current one.
static void check_keys(const struct walk *w, uint32_t t, bool moved)
{
    const uint32_t *allowed = w->allowed + (size_t)t * w->W, *keys = w->keys + (size_t)t * w->W;
    for (uint32_t k = 0; k < w->W; k++)
        munit_assert_uint32(allowed[k] & ~keys[k], ==, 0);
    if (moved)
        munit_assert_true(has(keys, w->state[(size_t)t * RULES_STATE + RULES_CURRENT]));
}

static void walk_all(struct walk *w)
{
    struct cmd *begin = cmd_create(w->gpu), *step = cmd_create(w->gpu);
    rules_begin(begin, &w->rules);
    rules_step(step, &w->rules);
    test_ok(cmd_run(begin));
    uint32_t unfinished, longest = LONGEST(w);
    for (uint32_t steps = 0;; steps++) {
        test_ok(tensor_download(w->gpu, w->allowed, w->rules.allowed));
        test_ok(tensor_download(w->gpu, w->keys, w->rules.keys));
        test_ok(tensor_download(w->gpu, w->state, w->rules.state));
        test_ok(tensor_download(w->gpu, &unfinished, w->rules.unfinished));
        bool any = false;
        for (uint32_t t = 0; t < w->T; t++) {
            const struct scaled *scaled = &w->scaled[t % INSTANCES];
            bool done = w->state[(size_t)t * RULES_STATE + RULES_DONE];
            w->action[t] = pick(w->allowed + (size_t)t * w->W, scaled->N);
            munit_assert_uint32(w->action[t], !=, UINT32_MAX);
            any = any || !done;
            if (done) {
                munit_assert_uint32(w->action[t], ==, 0);
                continue;
            }
            check_keys(w, t, steps > 0);
            arrput(w->path[t], w->action[t]);
        }
        munit_assert_int(unfinished == steps + 1, ==, any);
        if (!any)
            break;
        munit_assert_uint32(steps, <, longest);
        test_ok(tensor_upload(w->gpu, w->rules.action, w->action));
        test_ok(cmd_run(step));
    }
    cmd_destroy(&begin);
    cmd_destroy(&step);
}

static void judge_all(struct walk *w)
{
    float *cost = xcalloc(w->T, sizeof *cost);
    uint32_t *history = xcalloc((size_t)LONGEST(w) * w->T, 4);
    test_ok(tensor_download(w->gpu, history, w->rules.history));
    test_ok(tensor_download(w->gpu, cost, w->rules.cost));
    for (uint32_t t = 0; t < w->T; t++) {
        const struct instance *instance = &w->instances[t % INSTANCES];
        for (ptrdiff_t i = 0; i < arrlen(w->path[t]); i++)
            munit_assert_uint32(history[(size_t)i * w->T + t], ==, w->path[t][i]);
        if (w->state[(size_t)t * RULES_STATE + RULES_DONE] == RULES_DEAD) { // too few vehicles for these loads
            munit_assert_true(instance->vehicles > 0 && !instance->problem->splits && isinf(cost[t]));
            continue;
        }
        expect_judged(instance, &w->scaled[t % INSTANCES], w->path[t], cost[t], 1e-5);
    }
    free(cost), free(history);
}

// Compares the problem's own words, found by their names in its table, with the path.
static void check_own_words(const struct walk *w)
{
    const struct problem *problem = w->batch.problem;
    const uint32_t own = problem_state_words(problem);
    uint32_t *words = xcalloc((size_t)w->T * (RULES_STATE + own), 4);
    munit_assert_uint32(w->rules.words.dim[1], ==, RULES_STATE + own);
    test_ok(tensor_download(w->gpu, words, w->rules.words));
    for (uint32_t t = 0; t < w->T; t++) {
        const struct scaled *scaled = &w->scaled[t % INSTANCES];
        const float *prizes = scaled->real_prize ? scaled->real_prize : scaled->prize;
        uint32_t stops = 0;
        double prize = 0;
        for (ptrdiff_t i = 0; i < arrlen(w->path[t]); i++) {
            stops += w->path[t][i] > 0;
            prize += prizes && w->path[t][i] > 0 ? prizes[w->path[t][i]] : 0;
        }
        bool dead = w->state[(size_t)t * RULES_STATE + RULES_DONE] == RULES_DEAD;
        for (uint32_t k = 0; k < own && !dead; k++) {
            const uint32_t *word = &words[(size_t)w->T * RULES_STATE + (size_t)t * own + k];
            const char *name = problem->state[k].name;
            float real;
            memcpy(&real, word, sizeof real);
            munit_assert_int(problem->state[k].real, ==, !strncmp(name, "prize", 5));
            if (!strcmp(name, "served"))
                munit_assert_uint32(*word, ==, problem->splits ? scaled->N - 1 : stops);
            if (!strcmp(name, "load"))
                munit_assert_uint32(*word, ==, 0); // back at the depot
            if (!strcmp(name, "prize"))
                munit_assert_double(fabs(real - prize), <=, 1e-5 * (1 + prize));
        }
    }
    free(words);
}

static MunitResult walks(const MunitParameter params[], uint32_t plain, uint32_t others)
{
    TEST_GPU(gpu, params);
    const struct problem *problem = problem_by_name(munit_parameters_get(params, "problem"));
    static const uint32_t sizes[] = { 1, 2, 5, 20, 33, 70 };
    uint32_t count = sizeof sizes / sizeof *sizes;
    for (uint32_t i = 0; i < 3 * count; i++) {
        struct walk w;
        const enum batch_kind kind = (enum batch_kind)(i / count);
        start(&w, gpu, problem, sizes[i % count], kind == BATCH_PLAIN ? plain : others, kind);
        walk_all(&w);
        judge_all(&w);
        check_own_words(&w);
        end(&w);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitResult test_walks(const MunitParameter params[], void *data)
{
    (void)data;
    return walks(params, WALKS, WALKS);
}

static MunitResult test_walks_long(const MunitParameter params[], void *data)
{
    (void)data;
    return walks(params, WALKS_LONG, WALKS);
}

static MunitTest tests[] = {
    { "/walks", test_walks, NULL, NULL, MUNIT_TEST_OPTION_NONE, env_parameters },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/env/rules", tests)

static MunitTest long_tests[] = {
    { "/walks", test_walks_long, NULL, NULL, MUNIT_TEST_OPTION_NONE, env_parameters },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE_LONG("/env/rules", long_tests)
