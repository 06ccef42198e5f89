#include "search/pass.h"

#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "search/augment.h"
#include "search/routes.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/divide.h"
#include "util/error.h"
#include "util/hash.h"

// A batch larger than this gains nothing on any device seen, and takes long to come back. A beam's rows all go through
// the glimpse at once: on a CPU a batch is kept to what its caches can hold of their activations.
enum { MOST_ROWS = 1 << 17, MOST_ROWS_CPU_BEAM = 1 << 15, MOST_INSTANCES = 1024 };

// One instance of the search: as the network sees it, in one of its symmetries.
struct candidate {
    struct scaled scaled;
    size_t instance;
    uint32_t symmetry;
    uint32_t J; // most decisions
};

struct pass {
    struct search *search;
    const struct way *way;
    bool urgent;
    struct candidate *candidates; // stb_ds array, by size
    struct run *run;              // of the batch before, which may serve the next one
    bool *improved;               // instances with a better solution than before the batch
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

static void list_candidates(struct pass *p)
{
    for (size_t i = 0; i < p->search->count; i++) {
        const uint32_t J = rollout_longest(&p->search->scaled[i], 1);
        for (uint32_t k = 0; k < p->way->augment; k++) {
            struct candidate candidate = { augmented(&p->search->scaled[i], k), i, k, J };
            arrput(p->candidates, candidate);
        }
    }
    qsort(p->candidates, (size_t)arrlen(p->candidates), sizeof *p->candidates, by_size);
}

static uint32_t samples(const struct way *way)
{
    return way->decode == DECODE_SAMPLE ? way->samples : 1;
}

// Trajectories of one sample.
static uint32_t width(const struct way *way)
{
    return way->decode == DECODE_BEAM ? way->width : 1;
}

// How the first B candidates of a list are solved, S samples of each at a time.
static struct run_shape plan_for(const struct pass *p, const struct candidate *list, uint32_t B, uint32_t S)
{
    struct run_shape plan = { .way = *p->way, .B = B, .S = S, .seed = p->search->options->seed };
    for (uint32_t b = 0; b < B; b++) {
        plan.N = list[b].scaled.N > plan.N ? list[b].scaled.N : plan.N;
        plan.J = list[b].J > plan.J ? list[b].J : plan.J;
    }
    return plan;
}

bool search_fits(const struct search *s, const struct way *way)
{
    struct run_shape shape = { .way = *way, .B = 1, .N = 1, .S = 1 };
    for (size_t i = 0; i < s->count; i++) {
        uint32_t J = rollout_longest(&s->scaled[i], 1);
        shape.N = s->scaled[i].N > shape.N ? s->scaled[i].N : shape.N;
        shape.J = J > shape.J ? J : shape.J;
    }
    return run_bytes(s->model, &shape) <= s->room;
}

// The candidates from FIRST: sizes that differ little, rows and memory within bounds. Samples that are too many for one
// candidate alone are drawn in rounds.
static struct run_shape plan_from(const struct pass *p, size_t first)
{
    const struct search *s = p->search;
    const struct candidate *list = p->candidates + first;
    const uint32_t S = samples(p->way), least = list[0].scaled.N, most = least + least / 4;
    const uint64_t each = (uint64_t)s->model->config.M * width(p->way);
    const size_t left = (size_t)arrlen(p->candidates) - first;
    const bool cached = p->way->decode == DECODE_BEAM && gpu_info(s->model->gpu)->cpu_forms;
    const uint64_t rows = cached ? MOST_ROWS_CPU_BEAM : MOST_ROWS;
    uint32_t rounds = (uint32_t)divide_up(each * S * least, rows);
    rounds = rounds < S ? rounds : S;
    uint32_t B = 0, together = (uint32_t)divide_up(S, rounds);
    while (B < left && B < MOST_INSTANCES && list[B].scaled.N <= most &&
           (B == 0 || (B + 1) * each * together * list[B].scaled.N <= rows))
        B++;
    for (;;) {
        struct run_shape plan = plan_for(p, list, B, together);
        if ((B == 1 && together == 1) || run_bytes(s->model, &plan) <= s->room)
            return plan;
        if (B > 1)
            B -= (B + 3) / 4;
        else
            together = (together + 1) / 2;
    }
}

// What an instance's draws are keyed by: its own numbers, so that they depend neither on its place nor on the others.
static uint32_t number_of(const struct scaled *scaled)
{
    uint64_t hash = hash_bytes(scaled->coords, scaled->N * 2 * sizeof *scaled->coords);
    return (uint32_t)(hash ^ hash >> 32);
}

// One trajectory of a run's results.
struct found {
    const uint32_t *actions; // `stride` words apart, at most J
    uint32_t stride, J;
    double cost;
    uint32_t decoder;
};

// By more than the rounding of a sum, which depends on where a tour begins; of equal prizes, the shorter tour.
static bool is_better(const struct problem *problem, const struct verdict *a, const struct verdict *b)
{
    double gain = problem->maximise ? a->objective - b->objective : b->objective - a->objective;
    double equal = 1e-12 * fabs(b->objective);
    return gain > equal || (problem->maximise && gain >= -equal && a->length < (1 - 1e-12) * b->length);
}

// Whether the network's sum, of single precision, leaves it open that a trajectory is better.
static bool may_be_better(const struct problem *problem, double cost, double best)
{
    return cost < best || (problem->maximise && cost <= best + 1e-6 * fabs(best) && isfinite(cost));
}

// Keeps a candidate's solution when it beats what the instance has. The judge has the last word.
static bool keep(struct pass *p, const struct candidate *candidate, const struct found *found)
{
    struct search *s = p->search;
    const struct instance *instance = &s->instances[candidate->instance];
    struct search_result *result = &s->results[candidate->instance];
    if (!may_be_better(instance->problem, found->cost, s->best[candidate->instance]))
        return true;
    struct solution solution = routes_of(instance, found->actions, found->stride, found->J);
    struct verdict verdict;
    instance->problem->judge(instance, &solution, &verdict);
    if (verdict.feasible && instance->problem->maximise && verdict.objective <= 0) { // as much is had at home
        solution_finish(&solution);
        instance->problem->judge(instance, &solution, &verdict);
    }
    if (!verdict.feasible) {
        solution_finish(&solution);
        return fail(FAULT_INTERNAL, "an infeasible solution was found: %s", verdict.violation);
    }
    s->best[candidate->instance] = fmin(found->cost, s->best[candidate->instance]);
    // The network's sums are of single precision: another view of the same routes may seem better.
    if (result->solved && !is_better(instance->problem, &verdict, &result->verdict)) {
        solution_finish(&solution);
        return true;
    }
    p->improved[candidate->instance] = true;
    solution_finish(&result->solution);
    result->solution = solution;
    result->verdict = verdict;
    result->way = *p->way;
    result->decoder = found->decoder;
    result->solved = true;
    return true;
}

// Takes the results of a run over; of every S samples the first USED count.
static bool collect(struct pass *p, const struct candidate *list, uint32_t count, uint32_t used)
{
    const struct search *s = p->search;
    const struct run *run = p->run;
    const uint32_t T = run_trajectories(run), J = run->shape.J, B = run->shape.B, S = run->shape.S;
    float *cost = xcalloc(T, sizeof *cost);
    uint32_t *history = xcalloc((size_t)J * T, sizeof *history);
    bool ok = run_results(p->run, cost, history);
    for (uint32_t b = 0; ok && b < count; b++) {
        double *decoder_best = s->results[list[b].instance].decoder_best;
        for (uint32_t m = 0; ok && m < s->model->config.M; m++) {
            for (uint32_t k = 0; ok && k < used; k++) {
                uint32_t t = (m * B + b) * S + k;
                struct found found = { history + t, T, J, cost[t], m };
                if (cost[t] < decoder_best[m])
                    decoder_best[m] = cost[t];
                if (!s->options->online || m == s->model->config.best_decoder)
                    ok = keep(p, &list[b], &found);
            }
        }
    }
    free(cost), free(history);
    return ok;
}

// Makes the pass's run fit for the plan, as it is or anew, and loads the candidates into it.
static bool load(struct pass *p, const struct candidate *list, const struct run_shape *plan)
{
    struct scaled *scaled = xcalloc(plan->B, sizeof *scaled);
    uint32_t *numbers = xcalloc(plan->B, sizeof *numbers);
    for (uint32_t b = 0; b < plan->B; b++) {
        scaled[b] = list[b].scaled;
        numbers[b] = number_of(&scaled[b]);
    }
    bool ok = true;
    if (!p->run || !run_serves(p->run, plan)) {
        run_destroy(&p->run);
        ok = run_create(&p->run, p->search->model, plan);
    }
    ok = ok && run_load(p->run, scaled, numbers, plan->B);
    free(scaled), free(numbers);
    return ok;
}

static void stop_in_time(struct search *s)
{
    const struct search_options *options = s->options;
    s->stopped = s->stopped || (options->deadline > 0 && clock_seconds() > options->deadline) ||
                 (options->stop && options->stop(options->user));
}

static bool go_on(void *user, uint32_t decisions, uint32_t most)
{
    struct pass *p = user;
    const struct search_options *options = p->search->options;
    if (options->working)
        options->working(options->user, decisions, most);
    if (!p->urgent)
        stop_in_time(p->search);
    return !p->search->stopped;
}

static void report(struct pass *p, size_t candidates)
{
    struct search *s = p->search;
    const struct search_options *options = s->options;
    for (size_t i = 0; i < s->count; i++) {
        if (p->improved[i] && options->deadline > 0 && options->improved)
            options->improved(options->user, i, &s->results[i].verdict);
        p->improved[i] = false;
    }
    if (options->deadline > 0 && !p->urgent)
        stop_in_time(s);
    if (p->urgent && options->progress && !options->progress(options->user, candidates / p->way->augment, s->count))
        s->stopped = true;
}

// All samples of the candidates from FIRST that the plan is for.
static bool run_batch(struct pass *p, size_t first, const struct run_shape *plan)
{
    struct search *s = p->search;
    const struct candidate *list = p->candidates + first;
    const uint32_t S = samples(p->way);
    bool ok = load(p, list, plan);
    for (uint32_t start = 0; ok && !s->stopped && start < S; start += plan->S) {
        uint32_t used = S - start < plan->S ? S - start : plan->S;
        double before = clock_seconds();
        bool done;
        ok = run_decode(p->run, start, go_on, p, &done);
        s->seconds += clock_seconds() - before;
        ok = ok && (!done || collect(p, list, plan->B, used));
        if (ok && done)
            report(p, start + plan->S < S ? first : first + plan->B);
    }
    return ok;
}

bool search_pass(struct search *s, const struct way *way, bool urgent)
{
    struct pass p = { .search = s, .way = way, .urgent = urgent, .improved = xcalloc(s->count, sizeof(bool)) };
    bool ok = true;
    s->seconds = 0;
    list_candidates(&p);
    for (size_t first = 0; ok && !s->stopped && first < (size_t)arrlen(p.candidates);) {
        struct run_shape plan = plan_from(&p, first);
        ok = run_batch(&p, first, &plan);
        first += plan.B;
    }
    run_destroy(&p.run);
    for (ptrdiff_t i = 0; i < arrlen(p.candidates); i++)
        free(p.candidates[i].scaled.coords);
    arrfree(p.candidates);
    free(p.improved);
    return ok;
}
