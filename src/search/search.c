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
    size_t count, done;
    const struct search_options *options;
    struct search_result *results;
    struct scaled *scaled;        // of every instance
    struct candidate *candidates; // stb_ds array, by size
    double *best;                 // lowest cost of each instance so far
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

static struct rollout_shape shape_for(const struct search *s, uint32_t B, uint32_t N, uint32_t J)
{
    bool sample = s->options->decode == DECODE_SAMPLE;
    return (struct rollout_shape){ .B = B,
        .N = N,
        .S = sample ? s->options->samples : 1,
        .J = J,
        .mode = sample ? SAMPLE : GREEDY,
        .temperature = sample ? s->options->temperature : 1,
        .seed = s->options->seed };
}

// How many of the candidates from FIRST go into one batch: sizes that differ little, rows and memory within bounds.
static uint32_t batch_size(const struct search *s, size_t first, uint32_t *N)
{
    uint32_t least = s->candidates[first].scaled.N, most = least + least / 4, B = 0;
    size_t left = (size_t)arrlen(s->candidates) - first;
    uint64_t trajectories = s->model->config.M * (uint64_t)shape_for(s, 1, 1, 1).S;
    while (B < left && B < MOST_INSTANCES && s->candidates[first + B].scaled.N <= most &&
           (B == 0 || (B + 1) * trajectories * s->candidates[first + B].scaled.N <= MOST_ROWS))
        B++;
    uint64_t room = s->options->memory;
    if (!room) {
        room = gpu_memory_left(s->model->gpu) / 2;
        room = room < (uint64_t)2 << 30 ? room : (uint64_t)2 << 30;
    }
    for (;; B -= (B + 3) / 4) {
        *N = s->candidates[first + B - 1].scaled.N;
        struct rollout_shape shape = shape_for(s, B, *N, 2 * *N);
        if (B == 1 || rollout_bytes(s->model, &shape) <= room)
            return B;
    }
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

static bool collect(struct search *s, struct rollout *r, const struct candidate *list, uint32_t count)
{
    const uint32_t T = r->rules.T, J = r->shape.J, B = r->shape.B, S = r->shape.S;
    float *cost = xcalloc(T, sizeof *cost);
    uint32_t *history = xcalloc((size_t)J * T, sizeof *history);
    bool ok = rollout_results(r, cost, history, NULL);
    for (uint32_t b = 0; ok && b < count; b++) {
        double *decoder_best = s->results[list[b].instance].decoder_best;
        for (uint32_t m = 0; ok && m < s->model->config.M; m++) {
            for (uint32_t k = 0; ok && k < S; k++) {
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

static bool run_batch(struct search *s, struct rollout **r, size_t first, uint32_t B, uint32_t N)
{
    const struct candidate *list = s->candidates + first;
    struct scaled *scaled = xcalloc(B, sizeof *scaled);
    uint32_t *numbers = xcalloc(B, sizeof *numbers);
    for (uint32_t b = 0; b < B; b++) {
        scaled[b] = list[b].scaled;
        numbers[b] = (uint32_t)(list[b].instance * SYMMETRIES + list[b].symmetry);
    }
    uint32_t J = rollout_longest(scaled, B);
    struct rollout_shape shape = shape_for(s, B, N, J);
    bool ok = true;
    if (!*r || (*r)->shape.B < B || (*r)->shape.N != N || (*r)->shape.J < J) {
        rollout_destroy(r);
        ok = rollout_create(r, s->model, &shape);
    }
    ok = ok && rollout_load(*r, scaled, numbers, B) && rollout_run(*r) && collect(s, *r, list, B);
    free(scaled), free(numbers);
    return ok;
}

bool search_solve(struct model *model, const struct instance *instances, size_t count,
    const struct search_options *options, struct search_result *results)
{
    struct search s = { model, instances, count, 0, options, results, NULL, NULL, NULL };
    struct rollout *rollout = NULL;
    bool ok = true;
    prepare(&s);
    for (size_t first = 0; ok && first < (size_t)arrlen(s.candidates);) {
        uint32_t N, B = batch_size(&s, first, &N);
        ok = run_batch(&s, &rollout, first, B, N);
        first += B;
        if (ok && options->progress && !options->progress(options->user, first / options->augment, count))
            break;
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
