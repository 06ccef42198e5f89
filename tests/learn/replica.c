// The gradient of any list of instances and given trajectories, against the double-precision reference.
#include "learn/replica.h"

#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "device.h"
#include "selftest/reference.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

enum { B = 4, M = 3, ROUNDS = 2, MANY = M * B * ROUNDS };
#define DKL -0.3

struct setup {
    struct gpu *gpu;
    struct config config;
    struct reference reference;
    struct weights weights;
    struct scaled list[B];
    uint32_t *actions[MANY]; // stb_ds arrays: decoder m, instance b, round r at (r M + m) B + b; NULL: none
    struct trajectory trajectories[MANY];
    uint32_t count;
    double *expected; // stb_ds array: gradients of all weights in their order
    double kl;
};

static uint32_t *random_walk(const struct scaled *instance)
{
    struct walk walk;
    uint32_t *actions = NULL;
    for (walk_begin(&walk, instance); !walk.done;) {
        uint32_t v = (uint32_t)munit_rand_int_range(0, (int)instance->N - 1);
        if (!walk.allowed[v])
            continue;
        walk_visit(&walk, v);
        arrput(actions, v);
    }
    walk_finish(&walk);
    return actions;
}

// Decoder 0 has two trajectories of every instance, decoder 1 one of every other, the last one of each.
static bool has(uint32_t m, uint32_t b, uint32_t round)
{
    return m == 0 || (round == 0 && (m > 1 || b % 2 == 0));
}

static void draw_trajectories(struct setup *s)
{
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t b = i % B, m = i / B % M, round = i / B / M;
        if (!has(m, b, round))
            continue;
        s->actions[i] = random_walk(&s->list[b]);
        s->trajectories[s->count++] = (struct trajectory){ .instance = b,
            .decoder = m,
            .actions = s->actions[i],
            .count = (uint32_t)arrlen(s->actions[i]),
            .prefix = munit_rand_uint32() % ((uint32_t)arrlen(s->actions[i]) + 1) * (i % 3 > 0), // of every third none
            .coefficient = (float)munit_rand_double() - 0.4f };
    }
}

// Returns the coefficient of decision j.
static double coefficient_of(const struct setup *s, const uint32_t *actions, uint32_t j)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->trajectories[i].actions == actions)
            return j < s->trajectories[i].prefix ? 0 : s->trajectories[i].coefficient;
    }
    return 0;
}

// One trajectory per decoder and instance at a time; where there is none, another's with coefficient 0.
static void add_round(struct setup *s, uint32_t round)
{
    uint32_t *given[M * B];
    for (uint32_t i = 0; i < M * B; i++) {
        uint32_t *own = s->actions[round * M * B + i];
        given[i] = own ? own : s->actions[i % B];
    }
    struct reference_run run;
    reference_decode(&run, &s->reference, s->list, B, &(struct reference_choice){ .actions = given });
    struct mat **terms = NULL;
    double *factors = NULL;
    for (uint32_t i = 0; i < M * B; i++) {
        const struct reference_path *path = &run.paths[i];
        const bool own = s->actions[round * M * B + i];
        for (ptrdiff_t j = 0; j < arrlen(path->actions); j++) {
            arrput(terms, tape_element(&run.tape, path->log_p[j], path->actions[j]));
            arrput(factors, own ? coefficient_of(s, given[i], (uint32_t)j) : 0);
        }
    }
    for (uint32_t i = 0; round == 0 && i < M * M * B; i++) {
        uint32_t b = i % B, one = i / B % M, other = i / B / M;
        if (one == other)
            continue;
        arrput(terms, tape_divergence(&run.tape, run.paths[one * B + b].log_p[0], run.paths[other * B + b].log_p[0]));
        arrput(factors, DKL / (M * (M - 1) * B));
    }
    tape_backward(&run.tape, tape_sum(&run.tape, terms, factors, (uint32_t)arrlen(terms)));
    if (round == 0)
        s->kl = reference_kl(&run);
    size_t at = 0;
    struct params params;
    struct stats stats;
    params_layout_host(&params, &stats, &s->config);
    struct named *named = params_list(&params, &s->config);
    for (ptrdiff_t i = 0; i < arrlen(named); i++) {
        const struct reference_tensor *tensor = &s->reference.tensors[i];
        for (size_t k = 0; k < tensor->count; k++, at++) {
            if (round == 0)
                arrput(s->expected, 0);
            s->expected[at] += run.weights[i]->grad[k];
        }
    }
    arrfree(named);
    arrfree(terms);
    arrfree(factors);
    reference_run_finish(&run);
}

static void setup_open(
    struct setup *s, struct gpu *gpu, const struct problem *problem, uint32_t p, enum model_norm norm)
{
    *s = (struct setup){ .gpu = gpu };
    s->config = (struct config){ .problem = problem, .norm = norm, .D = 16, .H = 2, .F = 16, .L = 2, .M = M, .p = p };
    reference_init(&s->reference, &s->config);
    s->reference.batch_statistics = BATCH_ALL;
    reference_randomise(&s->reference, 7, 1.2);
    weights_init(&s->weights, &s->config);
    reference_store(&s->reference, false, &s->weights);
    for (uint32_t b = 0; b < B; b++) {
        struct instance instance;
        problem->generate(&instance, &(struct distribution){ .n_min = 4 + b, .n_max = 4 + b }, 3, b);
        scaled_init(&s->list[b], &instance);
        instance_finish(&instance);
    }
    draw_trajectories(s);
    for (uint32_t round = 0; round < ROUNDS; round++)
        add_round(s, round);
}

static void setup_close(struct setup *s)
{
    for (uint32_t i = 0; i < MANY; i++)
        arrfree(s->actions[i]);
    for (uint32_t b = 0; b < B; b++)
        scaled_finish(&s->list[b]);
    arrfree(s->expected);
    weights_finish(&s->weights);
    reference_finish(&s->reference);
}

// With this much memory; 0: all.
static void expect_gradient(const struct setup *s, uint64_t memory, double tolerance)
{
    struct replica *replica = NULL;
    const struct replica_task task = {
        .instances = s->list, .B = B, .trajectories = s->trajectories, .count = s->count, .dkl = DKL
    };
    double likelihood[MANY], kl, error = 0, norm = 0;
    test_ok(replica_create(&replica, s->gpu, &s->config, false, memory) && model_load(replica->model, &s->weights));
    test_ok(replica_learn(replica, &task, likelihood, &kl));
    munit_assert_double(fabs(kl - s->kl), <, 1e-4 * fabs(s->kl) + 1e-6);
    struct named *list = params_list(&replica->sum->d, &s->config);
    size_t at = 0;
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        size_t count = tensor_count(&list[i].tensor);
        float *found = xcalloc(count, sizeof *found);
        test_ok(tensor_download(s->gpu, found, list[i].tensor));
        for (size_t k = 0; k < count; k++, at++) {
            error += pow(found[k] - s->expected[at], 2);
            norm += pow(s->expected[at], 2);
        }
        free(found);
    }
    munit_assert_size(at, ==, arrlenu(s->expected));
    munit_assert_double(norm, >, 0);
    if (!(sqrt(error / norm) < tolerance))
        munit_errorf("%s: the gradient is off by %g", s->config.problem->name, sqrt(error / norm));
    arrfree(list);
    replica_destroy(&replica);
}

// Batch statistics of a glimpse are those of all trajectories together; the reference has one round at a time.
static const struct {
    enum model_norm norm;
    uint32_t p;
} ways[] = { { MODEL_INSTANCE, 0 }, { MODEL_INSTANCE, 2 }, { MODEL_LAYER, 0 }, { MODEL_LAYER, 2 }, { MODEL_BATCH, 0 } };

static MunitResult test_given(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    for (const struct problem *const *problem = problems; *problem; problem++) {
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            struct setup s;
            setup_open(&s, gpu, *problem, ways[k].p, ways[k].norm);
            expect_gradient(&s, 0, 2e-5);
            setup_close(&s);
        }
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Little memory splits the list, and changes only the order of sums.
static MunitResult test_split(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    struct setup s;
    setup_open(&s, gpu, problem_by_name("cvrp"), 2, MODEL_INSTANCE);
    struct replica *replica = NULL;
    test_ok(replica_create(&replica, gpu, &s.config, false, 0));
    const struct view view = { .model = replica->model, .p = 2, .live = true };
    struct lesson_shape one = {
        .B = 1, .N = s.list[B - 1].N, .S = ROUNDS, .J = rollout_longest(s.list, B), .given = true
    };
    uint64_t bytes = lesson_bytes(&view, &one);
    replica_destroy(&replica);
    expect_gradient(&s, bytes, 2e-5);
    expect_gradient(&s, 2 * bytes, 2e-5);
    setup_close(&s);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/given", test_given, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/split", test_split, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/learn/replica", tests)
