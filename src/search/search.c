#include "search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "model/rollout.h"
#include "search/augment.h"
#include "search/routes.h"
#include "util/alloc.h"
#include "util/error.h"

// A batch larger than this gains nothing on any device seen, and takes long to come back.
enum { MOST_ROWS = 1 << 17, MOST_INSTANCES = 1024 };

// One instance of the search: as the network sees it, in one of its symmetries.
struct candidate {
    struct scaled scaled;
    size_t instance;
    uint32_t symmetry;
};

struct search {
    struct model *model;
    const struct instance *instances;
    size_t count;
    const struct search_options *options;
    struct search_result *results;
    struct scaled *scaled;        // of every instance
    struct candidate *candidates; // stb_ds array, by size
    double *best;                 // lowest cost of each instance so far
    uint64_t room;                // bytes of device memory for one batch
    bool stopped;                 // by `progress`
};

static int by_size(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->scaled.N != y->scaled.N)
        return x->scaled.N < y->scaled.N ? -1 : 1;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    return (x->symmetry > y->symmetry) - (x->symmetry < y->symmetry);
}

static void prepare(struct search *s)
{
    const uint64_t most = (uint64_t)2 << 30, half = gpu_memory_left(s->model->gpu) / 2;
    s->room = s->options->memory ? s->options->memory : half < most ? half : most;
    s->scaled = xcalloc(s->count, sizeof *s->scaled);
    s->best = xcalloc(s->count, sizeof *s->best);
    for (size_t i = 0; i < s->count; i++) {
        scaled_init(&s->scaled[i], &s->instances[i]);
        s->best[i] = INFINITY;
        s->results[i].decoder_best = xcalloc(s->model->config.M, sizeof(double));
        for (uint32_t m = 0; m < s->model->config.M; m++)
            s->results[i].decoder_best[m] = INFINITY;
        for (uint32_t k = 0; k < s->options->augment; k++) {
            struct candidate candidate = { augmented(&s->scaled[i], k), i, k };
            arrput(s->candidates, candidate);
        }
    }
    qsort(s->candidates, (size_t)arrlen(s->candidates), sizeof *s->candidates, by_size);
}

static void finish(struct search *s)
{
    for (size_t i = 0; i < s->count; i++)
        scaled_finish(&s->scaled[i]);
    for (ptrdiff_t i = 0; i < arrlen(s->candidates); i++)
        free(s->candidates[i].scaled.coords);
    arrfree(s->candidates);
    free(s->scaled), free(s->best);
}

// How the candidates from one on are solved: B of them at a time, S samples of each at a time.
struct plan {
    uint32_t B, N, S;
};

static uint32_t samples(const struct search *s)
{
    return s->options->decode == DECODE_SAMPLE ? s->options->samples : 1;
}

static struct rollout_shape shape_for(const struct search *s, const struct plan *plan, uint32_t J)
{
    bool sample = s->options->decode == DECODE_SAMPLE;
    return (struct rollout_shape){ .B = plan->B,
        .N = plan->N,
        .S = plan->S,
        .J = J,
        .mode = sample ? SAMPLE : GREEDY,
        .temperature = sample ? s->options->temperature : 1,
        .seed = s->options->seed };
}

// The candidates from FIRST: sizes that differ little, rows and memory within bounds. Samples that are too many for one
// candidate alone are drawn in rounds.
static struct plan plan_from(const struct search *s, size_t first)
{
    const struct candidate *list = s->candidates + first;
    const uint32_t M = s->model->config.M, S = samples(s), least = list[0].scaled.N, most = least + least / 4;
    const size_t left = (size_t)arrlen(s->candidates) - first;
    uint32_t rounds = (uint32_t)(((uint64_t)M * S * least + MOST_ROWS - 1) / MOST_ROWS);
    rounds = rounds < S ? rounds : S;
    struct plan plan = { .S = (S + rounds - 1) / rounds };
    while (plan.B < left && plan.B < MOST_INSTANCES && list[plan.B].scaled.N <= most &&
           (plan.B == 0 || (uint64_t)(plan.B + 1) * M * plan.S * list[plan.B].scaled.N <= MOST_ROWS))
        plan.B++;
    for (;;) {
        plan.N = list[plan.B - 1].scaled.N;
        struct rollout_shape shape = shape_for(s, &plan, 2 * plan.N);
        if ((plan.B == 1 && plan.S == 1) || rollout_bytes(s->model, &shape) <= s->room)
            return plan;
        if (plan.B > 1)
            plan.B -= (plan.B + 3) / 4;
        else
            plan.S = (plan.S + 1) / 2;
    }
}

// What an instance's draws are keyed by: its own numbers, so that they depend neither on its place nor on the others.
static uint32_t number_of(const struct scaled *scaled)
{
    uint32_t hash = 2166136261u; // FNV-1a
    const unsigned char *bytes = (const unsigned char *)scaled->coords;
    for (size_t i = 0; i < scaled->N * 2 * sizeof *scaled->coords; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

// Keeps a candidate's solution when it beats what the instance has. The judge has the last word.
static bool keep(struct search *s, const struct candidate *candidate, const uint32_t *history, uint32_t T, uint32_t J,
    uint32_t t, double cost, uint32_t decoder)
{
    const struct instance *instance = &s->instances[candidate->instance];
    struct search_result *result = &s->results[candidate->instance];
    if (!(cost < s->best[candidate->instance]))
        return true;
    struct solution solution = routes_of(instance, history + t, T, J);
    struct verdict verdict;
    instance->problem->judge(instance, &solution, &verdict);
    if (!verdict.feasible) {
        solution_finish(&solution);
        return fail(FAULT_INTERNAL, "an infeasible solution was found: %s", verdict.violation);
    }
    s->best[candidate->instance] = cost;
    solution_finish(&result->solution);
    result->solution = solution;
    result->verdict = verdict;
    result->decoder = decoder;
    result->solved = true;
    return true;
}

// Takes the results of a run over; of every S samples the first USED count.
static bool collect(struct search *s, struct rollout *r, const struct candidate *list, uint32_t count, uint32_t used)
{
    const uint32_t T = r->rules.T, J = r->shape.J, B = r->shape.B, S = r->shape.S;
    float *cost = xcalloc(T, sizeof *cost);
    uint32_t *history = xcalloc((size_t)J * T, sizeof *history);
    bool ok = rollout_results(r, cost, history, NULL);
    for (uint32_t b = 0; ok && b < count; b++) {
        double *decoder_best = s->results[list[b].instance].decoder_best;
        for (uint32_t m = 0; ok && m < s->model->config.M; m++) {
            for (uint32_t k = 0; ok && k < used; k++) {
                uint32_t t = (m * B + b) * S + k;
                if (cost[t] < decoder_best[m])
                    decoder_best[m] = cost[t];
                if (!s->options->online || m == s->model->config.best_decoder)
                    ok = keep(s, &list[b], history, T, J, t, cost[t], m);
            }
        }
    }
    free(cost), free(history);
    return ok;
}

// Whether a rollout that is there does for this shape: places that stay empty cost as much as full ones, and where
// statistics are taken over the batch they would count.
static bool serves(const struct rollout *r, const struct rollout_shape *shape)
{
    bool exact = r->model->config.norm == MODEL_BATCH_LIVE;
    uint32_t least = exact ? r->shape.B : r->shape.B / 2;
    return r->shape.B >= shape->B && shape->B >= least && r->shape.N == shape->N && r->shape.S == shape->S &&
           r->shape.J >= shape->J;
}

// Makes *R fit for the plan, as it is or anew, and loads the candidates into it.
static bool load(struct search *s, struct rollout **r, const struct candidate *list, const struct plan *plan)
{
    struct scaled *scaled = xcalloc(plan->B, sizeof *scaled);
    uint32_t *numbers = xcalloc(plan->B, sizeof *numbers);
    for (uint32_t b = 0; b < plan->B; b++) {
        scaled[b] = list[b].scaled;
        numbers[b] = number_of(&scaled[b]);
    }
    struct rollout_shape shape = shape_for(s, plan, rollout_longest(scaled, plan->B));
    bool ok = true;
    if (!*r || !serves(*r, &shape)) {
        rollout_destroy(r);
        ok = rollout_create(r, s->model, &shape);
    }
    ok = ok && rollout_load(*r, scaled, numbers, plan->B);
    free(scaled), free(numbers);
    return ok;
}

static bool report(struct search *s, size_t candidates)
{
    const struct search_options *options = s->options;
    s->stopped = options->progress && !options->progress(options->user, candidates / options->augment, s->count);
    return !s->stopped;
}

// All samples of the candidates from FIRST that the plan is for.
static bool run_batch(struct search *s, struct rollout **r, size_t first, const struct plan *plan)
{
    const struct candidate *list = s->candidates + first;
    const uint32_t S = samples(s);
    bool ok = load(s, r, list, plan);
    for (uint32_t done = 0; ok && !s->stopped && done < S; done += plan->S) {
        uint32_t used = S - done < plan->S ? S - done : plan->S;
        ok = rollout_seek(*r, done) && rollout_run(*r) && collect(s, *r, list, plan->B, used);
        if (ok)
            report(s, done + plan->S < S ? first : first + plan->B);
    }
    return ok;
}

bool search_solve(struct model *model, const struct instance *instances, size_t count,
    const struct search_options *options, struct search_result *results)
{
    struct search s = {
        .model = model, .instances = instances, .count = count, .options = options, .results = results
    };
    struct rollout *rollout = NULL;
    bool ok = true;
    prepare(&s);
    for (size_t first = 0; ok && !s.stopped && first < (size_t)arrlen(s.candidates);) {
        struct plan plan = plan_from(&s, first);
        ok = run_batch(&s, &rollout, first, &plan);
        first += plan.B;
    }
    rollout_destroy(&rollout);
    finish(&s);
    return ok;
}

void search_result_finish(struct search_result *result)
{
    solution_finish(&result->solution);
    free(result->decoder_best);
    *result = (struct search_result){ 0 };
}
