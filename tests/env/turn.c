// A decision in one kernel with its step against the kernels that it replaces: everything that either writes is the
// same bytes, decision after decision.
#include "env/turn.h"

#include <stdlib.h>
#include <string.h>

#include "problem/generate.h"
#include "shaders/args.h"
#include "suite.h"
#include "tests/env/support.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/hash.h"

enum { INSTANCES = 5, EACH = 3, CUSTOMERS = 40, DECISIONS = 12, D = 32, H = 4 };

// Trajectories, with the memory of their decisions.
struct side {
    struct rules rules;
    struct tensor logp, saved, ctx, chosen, total, trace_state, trace_allowed, trace_scalar, trace_dyn;
};

// Inputs of both sides.
struct given {
    struct batch batch;
    struct tensor q, kvl, wdyn, h, placeholder, number, stream, actions;
};

static void layout_side(struct side *x, struct arena *arena, const struct batch *batch)
{
    const uint32_t T = INSTANCES * EACH, N = batch->N;
    rules_layout(&x->rules, arena, batch, T, DECISIONS, false);
    x->logp = tensor_allocate(arena, 2, T, N);
    x->saved = tensor_allocate(arena, 2, T, nn_pointer_saved(D, H, N));
    x->ctx = tensor_allocate(arena, 2, T, x->rules.scalar.address ? D + CONTEXT_SCALARS : 2 * D);
    x->chosen = tensor_allocate(arena, 1, T);
    x->total = tensor_allocate(arena, 1, T);
    x->trace_state = tensor_allocate(arena, 2, T, RULES_STATE);
    x->trace_allowed = tensor_allocate(arena, 2, T, (N + 31) / 32);
    x->trace_scalar = tensor_allocate(arena, 1, T);
    x->trace_dyn = tensor_allocate(arena, 2, T, N);
}

static void layout(
    struct given *g, struct side sides[2], struct arena *arena, const struct problem *problem, uint32_t N)
{
    const uint32_t T = INSTANCES * EACH;
    batch_layout(&g->batch, arena, problem, INSTANCES, N, BATCH_PLAIN);
    g->q = tensor_allocate(arena, 2, T, D);
    g->kvl = tensor_allocate(arena, 2, INSTANCES * N, 3 * D);
    g->wdyn = tensor_allocate(arena, 1, 3 * D);
    g->h = tensor_allocate(arena, 2, INSTANCES * N, D);
    g->placeholder = tensor_allocate(arena, 1, 2 * D);
    g->number = tensor_allocate(arena, 1, T);
    g->stream = tensor_allocate(arena, 1, T);
    g->actions = tensor_allocate(arena, 1, T);
    layout_side(&sides[0], arena, &g->batch);
    layout_side(&sides[1], arena, &g->batch);
}

static uint32_t random_state; // the same numbers in every comparison

static void upload_random(struct gpu *gpu, struct tensor to)
{
    const size_t count = tensor_count(&to);
    float *list = xcalloc(count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        random_state = random_state * 1664525 + 1013904223;
        list[i] = (float)(random_state >> 8) / (1 << 22) - 2;
    }
    test_ok(tensor_upload(gpu, to, list));
    free(list);
}

static void upload_all(struct gpu *gpu, const struct given *g, const struct side sides[2])
{
    uint32_t instance[INSTANCES * EACH], index[INSTANCES * EACH], taught[INSTANCES * EACH];
    for (uint32_t t = 0; t < INSTANCES * EACH; t++) {
        instance[t] = t / EACH;
        index[t] = t;
        taught[t] = t % 2 ? TAUGHT_GREEDY : TAUGHT_SAMPLE;
    }
    const struct tensor random[] = { g->q, g->kvl, g->wdyn, g->h, g->placeholder };
    for (size_t i = 0; i < sizeof random / sizeof *random; i++)
        upload_random(gpu, random[i]);
    test_ok(tensor_upload(gpu, g->number, instance) && tensor_upload(gpu, g->stream, index) &&
            tensor_upload(gpu, g->actions, taught) && tensor_upload(gpu, sides[0].rules.instance, instance) &&
            tensor_upload(gpu, sides[1].rules.instance, instance));
}

static void copy(struct cmd *c, struct tensor to, struct tensor from)
{
    if (from.address)
        cmd_copy(c, to.address, from.address, 4 * tensor_count(&from));
}

static struct turn turn_of(const struct given *g, const struct side *x, const struct decision *decision)
{
    const struct tensor none = { 0 };
    return (struct turn){ .rules = &x->rules,
        .decision = decision,
        .logp = x->logp,
        .saved = x->saved,
        .q = g->q,
        .pointer = { .slots = { .S = INSTANCES, .N = g->batch.N, .rows = g->batch.limits.address },
            .kvl = g->kvl,
            .allowed = x->rules.allowed,
            .dyn = x->rules.share,
            .wdyn = x->rules.share.address ? g->wdyn : none,
            .H = H,
            .repeat = EACH,
            .clip = 10,
            .temperature = 1,
            .saves = true },
        .ctx = x->ctx,
        .h = g->h,
        .context = { .state = x->rules.state,
            .scalar = x->rules.scalar,
            .placeholder = g->placeholder,
            .instance = x->rules.instance,
            .N = g->batch.N },
        .trace_state = x->trace_state,
        .trace_scalar = x->rules.scalar.address ? x->trace_scalar : none,
        .trace_allowed = x->trace_allowed,
        .trace_dyn = x->rules.share.address ? x->trace_dyn : none };
}

// The same by the kernels that it replaces.
static void run_apart(struct cmd *c, const struct side *x, const struct turn *turn)
{
    copy(c, x->trace_state, x->rules.state);
    copy(c, x->trace_scalar, x->rules.scalar);
    copy(c, x->trace_allowed, x->rules.allowed);
    copy(c, x->trace_dyn, x->rules.share);
    nn_decide(c, turn->decision, turn->logp, turn->saved, turn->q, &turn->pointer);
    rules_step(c, &x->rules);
    nn_context(c, turn->ctx, turn->h, &turn->context);
}

static void expect_same(struct gpu *gpu, const char *what, struct tensor a, struct tensor b)
{
    const size_t count = a.address ? tensor_count(&a) : 0;
    uint32_t *list = xcalloc(2 * count + 1, sizeof *list);
    if (count)
        test_ok(tensor_download(gpu, list, a) && tensor_download(gpu, list + count, b));
    for (size_t i = 0; i < count; i++) {
        if (list[i] != list[count + i])
            munit_errorf("%s: word %zu is %08x, not %08x", what, i, list[count + i], list[i]);
    }
    free(list);
}

static void compare(struct gpu *gpu, const struct side *a, const struct side *b)
{
    expect_same(gpu, "logp", a->logp, b->logp);
    expect_same(gpu, "saved", a->saved, b->saved);
    expect_same(gpu, "action", a->rules.action, b->rules.action);
    expect_same(gpu, "chosen", a->chosen, b->chosen);
    expect_same(gpu, "total", a->total, b->total);
    expect_same(gpu, "words", a->rules.words, b->rules.words);
    expect_same(gpu, "allowed", a->rules.allowed, b->rules.allowed);
    expect_same(gpu, "keys", a->rules.keys, b->rules.keys);
    expect_same(gpu, "history", a->rules.history, b->rules.history);
    expect_same(gpu, "share", a->rules.share, b->rules.share);
    expect_same(gpu, "scalar", a->rules.scalar, b->rules.scalar);
    expect_same(gpu, "unfinished", a->rules.unfinished, b->rules.unfinished);
    expect_same(gpu, "context", a->ctx, b->ctx);
    expect_same(gpu, "trace of the state", a->trace_state, b->trace_state);
    expect_same(gpu, "trace of allowed nodes", a->trace_allowed, b->trace_allowed);
    expect_same(gpu, "trace of the scalar", a->trace_scalar, b->trace_scalar);
    expect_same(gpu, "trace of dynamic features", a->trace_dyn, b->trace_dyn);
}

static void clear(struct cmd *c, const struct side *x)
{
    const struct tensor list[] = { x->saved, x->total, x->rules.history, x->trace_scalar, x->trace_dyn };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        cmd_fill(c, list[i].address, 4 * tensor_count(&list[i]), 0);
}

static void decide_all(struct gpu *gpu, const struct given *g, struct side sides[2], enum choose_mode mode)
{
    struct cmd *begin = cmd_create(gpu), *step = cmd_create(gpu);
    struct decision decisions[2];
    for (int i = 0; i < 2; i++) {
        const struct side *x = &sides[i];
        decisions[i] = (struct decision){ x->rules.action, x->chosen, x->total,
            .how = { mode, g->actions, g->number, g->stream, x->rules.unfinished.address, 7 } };
        const struct turn turn = turn_of(g, x, &decisions[i]);
        clear(begin, x);
        rules_begin(begin, &x->rules);
        if (i)
            turn_run(step, &turn);
        else
            run_apart(step, x, &turn);
    }
    test_ok(cmd_run(begin));
    for (uint32_t k = 0; k < DECISIONS; k++) {
        upload_random(gpu, g->q);
        test_ok(cmd_run(step));
        compare(gpu, &sides[0], &sides[1]);
    }
    cmd_destroy(&begin), cmd_destroy(&step);
}

// A hash of the decisions' outputs.
static uint64_t hash_of(struct gpu *gpu, const struct side *x)
{
    const struct tensor left[] = { x->logp, x->saved, x->total, x->rules.history, x->rules.words, x->ctx };
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        const size_t bytes = 4 * tensor_count(&left[i]);
        void *data = xcalloc(1, bytes);
        test_ok(tensor_download(gpu, data, left[i]));
        hash = hash_add(hash, data, bytes);
        free(data);
    }
    return hash;
}

// Decides in all modes up to `last`, by workgroups of that many subgroups (0: as suits the device).
static MunitResult expect_same_decisions(const MunitParameter params[], const struct problem *problem,
    uint32_t subgroups, enum choose_mode last, uint64_t *hash)
{
    random_state = 1;
    struct gpu *gpu;
    if (!test_gpu_open_with(&gpu, params, (struct gpu_options){ .subgroups = subgroups }))
        return MUNIT_SKIP;
    const uint32_t N = CUSTOMERS + problem->has_depot;
    struct arena *arena = arena_create(gpu, "turns");
    struct given g;
    struct side sides[2];
    layout(&g, sides, arena, problem, N);
    test_ok(arena_back(arena));
    layout(&g, sides, arena, problem, N);
    struct pointer some = { .slots = { .S = INSTANCES, .N = N }, .H = H, .repeat = EACH };
    const bool fits = turn_fits(gpu, &sides[0].rules, D, &some);
    munit_assert_int(fits, ==, gpu_info(gpu)->target == GPU_TARGET_GPU);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        struct instance instance;
        struct scaled scaled;
        // Small ones end before the last decision.
        problem->generate(
            &instance, &(struct distribution){ .n_min = 4, .n_max = CUSTOMERS, .prize = PRIZE_DIST }, 3, i);
        scaled_init(&scaled, &instance);
        test_ok(batch_upload(gpu, &g.batch, i, &scaled, 1));
        scaled_finish(&scaled);
        instance_finish(&instance);
    }
    upload_all(gpu, &g, sides);
    for (enum choose_mode mode = GREEDY; fits && mode <= last; mode++) {
        if (mode != GIVEN)
            decide_all(gpu, &g, sides, mode);
    }
    *hash = hash_of(gpu, &sides[1]);
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitResult test_same(const MunitParameter params[], void *data)
{
    (void)data;
    uint64_t hash;
    return expect_same_decisions(params, problem_by_name(munit_parameters_get(params, "problem")), 0, TAUGHT, &hash);
}

// Each subgroup of a workgroup has a part of its shared memory, however many there are.
static MunitResult test_subgroups(const MunitParameter params[], void *data)
{
    (void)data;
    static const uint32_t subgroups[] = { 4, 1, 2, 8, 16 };
    uint64_t hash, usual = 0;
    for (size_t i = 0; i < sizeof subgroups / sizeof *subgroups; i++) {
        if (expect_same_decisions(params, &problem_cvrp, subgroups[i], GREEDY, &hash) != MUNIT_OK)
            return MUNIT_SKIP;
        usual = i ? usual : hash;
        munit_assert_uint64(hash, ==, usual);
    }
    return MUNIT_OK;
}

static char *gpu_only[] = { "gpu", NULL };
static MunitParameterEnum gpu_target[] = { { "target", gpu_only }, { NULL, NULL } };

static MunitTest tests[] = {
    { "/same", test_same, NULL, NULL, MUNIT_TEST_OPTION_NONE, env_parameters },
    { "/subgroups", test_subgroups, NULL, NULL, MUNIT_TEST_OPTION_NONE, gpu_target },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/env/turn", tests)
