#include "search/pass.h"

#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "improve/improve.h"
#include "problem/routes.h"
#include "search/improving.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/hash.h"

// Seconds that a first solution may still take after `stop` returned true.
static const double first_answer_grace = 2;

// Decisions by which the time of the others is estimated.
enum { MEASURED = 16 };

struct pass {
    struct search *search;
    bool urgent;
    struct run *run; // of the previous batch; the next one may use it again
    bool *improved;  // instances with a better solution than before the batch
    double asked;    // time of the last call of `stop`; 0: none yet
    double begun;    // time after the first decisions of the batch, and their number; 0: none yet
    uint32_t first;
};

void search_plan(struct search *s, const struct decoding *decoding)
{
    const struct plan_task task = { .model = s->model,
        .instances = s->instances,
        .scaled = s->scaled,
        .skip = s->settled,
        .left_out = s->left_out,
        .count = s->count,
        .decoding = *decoding,
        .seed = s->options.seed,
        .room = s->room };
    plan_finish(&s->plan);
    plan_make(&s->plan, &task);
}

// The key of an instance's random draws: its own values, so that draws depend neither on its index nor on other
// instances.
static uint32_t number_of(const struct scaled *scaled)
{
    uint64_t hash = hash_bytes(scaled->coords, scaled->N * 2 * sizeof *scaled->coords);
    return (uint32_t)(hash ^ hash >> 32);
}

// --- from trajectories to solutions --------------------------------------------------------------------------------

// A trajectory that a strategy found.
struct candidate {
    const struct plan_item *item;
    const uint32_t *actions; // with a stride of `stride` words, at most J
    uint32_t stride, J;
    double cost;
    uint32_t decoder;
};

// Better by more than the rounding of a sum, which depends on the start of a tour; between equal prizes the shorter
// tour.
static bool is_better(const struct problem *problem, const struct verdict *a, const struct verdict *b)
{
    double gain = problem->maximise ? a->objective - b->objective : b->objective - a->objective;
    double equal = 1e-12 * fabs(b->objective);
    return gain > equal || (problem->maximise && gain >= -equal && a->length < (1 - 1e-12) * b->length);
}

// Returns whether a trajectory may be better, given that the network's sums are in single precision.
static bool may_be_better(const struct problem *problem, double cost, double best)
{
    return cost < best || (problem->maximise && cost <= best + 1e-6 * fabs(best) && isfinite(cost));
}

static bool judge(const struct instance *instance, struct solution *solution, struct verdict *verdict)
{
    instance->problem->judge(instance, solution, verdict);
    if (verdict->feasible && instance->problem->maximise &&
        verdict->objective <= 0) { // staying at the depot is as good
        solution_finish(solution);
        instance->problem->judge(instance, solution, verdict);
    }
    return verdict->feasible || fail(FAULT_INTERNAL, "an infeasible solution was found: %s", verdict->violation);
}

// Makes SOLUTION the instance's result if it is better, or frees it.
static void retain(
    struct pass *p, const struct candidate *candidate, struct solution *solution, const struct verdict *verdict)
{
    struct search *s = p->search;
    const size_t i = candidate->item->instance;
    struct search_result *result = &s->results[i];
    s->best[i] = fmin(candidate->cost, s->best[i]);
    // The network's sums are in single precision: another view of the same routes may seem better.
    const bool better = s->improving ? improve_is_better(&s->instances[i], verdict, &result->verdict)
                                     : is_better(s->instances[i].problem, verdict, &result->verdict);
    if (result->solved && !better) {
        solution_finish(solution);
        return;
    }
    p->improved[i] = true;
    solution_finish(&result->solution);
    result->solution = *solution;
    result->verdict = *verdict;
    result->decoding = candidate->item->decoding;
    result->decoder = candidate->decoder;
    result->origin = ORIGIN_DECODER;
    result->improve = MDAM_IMPROVE_OFF;
    result->solved = true;
}

// Converts a candidate to routes and judges it.
static bool offer(struct pass *p, const struct candidate *candidate)
{
    const struct instance *instance = &p->search->instances[candidate->item->instance];
    struct verdict verdict;
    if (!may_be_better(instance->problem, candidate->cost, p->search->best[candidate->item->instance]))
        return true;
    struct solution solution = routes_of(instance, candidate->actions, candidate->stride, candidate->J);
    if (!judge(instance, &solution, &verdict)) {
        solution_finish(&solution);
        return false;
    }
    retain(p, candidate, &solution, &verdict);
    return true;
}

static int by_cost(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return a->cost < b->cost ? -1 : a->cost > b->cost ? 1 : a->actions < b->actions ? -1 : a->actions > b->actions;
}

// Adds the best candidates of a decoder to the improvement. Sorts LIST by cost.
static void improve(const struct search *search, struct candidate *list, uint32_t count)
{
    struct improving *improving = search->improving;
    const uint32_t width = improving_width(improving);
    qsort(list, count, sizeof *list, by_cost);
    for (uint32_t k = 0; k < count && k < width && isfinite(list[k].cost); k++) {
        const struct plan_item *item = list[k].item;
        const struct instance *instance = &search->instances[item->instance];
        struct verdict verdict;
        struct finalist finalist = { .solution = routes_of(instance, list[k].actions, list[k].stride, list[k].J),
            .decoding = item->decoding,
            .decoder = list[k].decoder };
        instance->problem->judge(instance, &finalist.solution, &verdict);
        finalist.constructed = verdict.objective;
        improving_add(improving, item->instance, &finalist);
    }
}

// Offers the results of a run; the first USED of every S samples count.
static bool collect(struct pass *p, const struct plan_batch *batch, uint32_t used)
{
    const struct search *s = p->search;
    const struct plan_item *list = s->plan.items + batch->first;
    const uint32_t T = run_trajectories(p->run), J = p->run->shape.J, B = p->run->shape.B, S = p->run->shape.S;
    float *cost = xcalloc(T, sizeof *cost);
    uint32_t *history = xcalloc((size_t)J * T, sizeof *history);
    struct candidate *candidates = xcalloc(used, sizeof *candidates);
    bool ok = run_results(p->run, cost, history);
    for (uint32_t b = 0; ok && b < batch->shape.B; b++) {
        double *decoder_best = s->results[list[b].instance].decoder_best;
        for (uint32_t m = 0; ok && m < s->model->config.M; m++) {
            for (uint32_t k = 0; ok && k < used; k++) {
                uint32_t t = (m * B + b) * S + k;
                candidates[k] = (struct candidate){ &list[b], history + t, T, J, cost[t], m };
                if (cost[t] < decoder_best[m])
                    decoder_best[m] = cost[t];
                if (!s->options.online || m == s->model->config.best_decoder)
                    ok = offer(p, &candidates[k]);
            }
            if (ok && s->improving)
                improve(s, candidates, used);
        }
    }
    if (ok && s->improving)
        improving_begin(s->improving);
    free(cost), free(history), free(candidates);
    return ok;
}

// --- running ------------------------------------------------------------------------------------------------------

// Returns whether the search must end now, if the next decisions take STEP seconds.
static bool is_over(struct pass *p, double step)
{
    struct search *s = p->search;
    const struct search_options *options = &s->options;
    const double now = deadline_now(&s->deadline);
    if (!(s->asked > 0) && options->stop && options->stop(options->user))
        s->asked = now;
    if (p->urgent)
        return now > s->deadline.last || (s->asked > 0 && (s->answered || now > s->asked + first_answer_grace));
    return s->asked > 0 || now + step > s->deadline.at;
}

static bool is_over_now(void *user)
{
    return is_over(user, 0);
}

// Records the batch, unless the search ends before all kernels are built.
static bool record(struct pass *p, const struct plan_batch *batch)
{
    struct search *s = p->search;
    struct gpu *gpu = s->model->gpu;
    gpu_set_stop(gpu, is_over_now, p);
    bool ok = run_create(&p->run, s->model, &batch->shape);
    if (gpu_was_stopped(gpu)) { // a recording may report its failure only when it is submitted
        run_destroy(&p->run);
        error_clear();
        s->stopped = ok = true;
    }
    gpu_set_stop(gpu, NULL, NULL);
    return ok;
}

// Makes the pass's run fit the batch, reusing it or recording a new one, and loads the instances.
static bool load(struct pass *p, const struct plan_batch *batch)
{
    const struct plan_item *list = p->search->plan.items + batch->first;
    const uint32_t B = batch->shape.B;
    struct scaled *scaled = xcalloc(B, sizeof *scaled);
    uint32_t *numbers = xcalloc(B, sizeof *numbers);
    for (uint32_t b = 0; b < B; b++) {
        scaled[b] = list[b].scaled;
        numbers[b] = number_of(&scaled[b]);
    }
    bool ok = true;
    if (!p->run || !run_serves(p->run, &batch->shape)) {
        run_destroy(&p->run);
        ok = record(p, batch);
    }
    ok = ok && (!p->run || run_load(p->run, scaled, numbers, B));
    free(scaled), free(numbers);
    return ok;
}

// Returns whether a first solution would come too late. That matters if there is another answer: decoding then only
// takes time.
static bool is_hopeless(struct pass *p, double now, uint32_t decisions)
{
    const struct search *s = p->search;
    if (!p->urgent || !s->answered)
        return false;
    if (!(p->begun > 0)) {
        p->begun = now;
        p->first = decisions;
    }
    const struct instance *instance = &s->instances[0]; // the only one
    const uint32_t made = decisions - p->first, min = problem_may_leave_out(instance->problem) ? 0 : instance->n;
    return made >= MEASURED && min > decisions && now + (now - p->begun) / made * (min - decisions) > s->deadline.last;
}

static bool go_on(void *user, uint32_t decisions, uint32_t max_decisions)
{
    struct pass *p = user;
    struct search *s = p->search;
    if (s->options.working)
        s->options.working(s->options.user, decisions, max_decisions);
    const double now = deadline_now(&s->deadline), step = p->asked > 0 ? now - p->asked : 0;
    p->asked = now;
    s->stopped = s->stopped || is_over(p, step) || is_hopeless(p, now, decisions);
    return !s->stopped;
}

// Reports after a round of a batch; `complete`: its last.
static void report(struct pass *p, const struct plan_batch *batch, bool complete)
{
    struct search *s = p->search;
    const struct search_options *options = &s->options;
    for (size_t i = 0; i < s->count; i++) {
        if (p->improved[i] && options->limited && options->improved)
            options->improved(options->user, i, &s->results[i].verdict);
        p->improved[i] = false;
    }
    const size_t views = s->plan.items[batch->first].decoding.augment,
                 items = batch->first + (complete ? batch->shape.B : 0);
    if (p->urgent && options->progress && !options->progress(options->user, items / views, s->count))
        s->cancelled = true;
    s->stopped = s->stopped || s->cancelled || is_over(p, 0) || s->asked > 0;
}

static bool run_batch(struct pass *p, const struct plan_batch *batch)
{
    struct search *s = p->search;
    const uint32_t S = batch->shape.decoding.samples;
    const struct rollout_watch watch = { go_on, p };
    bool ok = load(p, batch);
    s->stopped = s->stopped || is_over(p, 0); // kernels may have been compiled meanwhile
    for (uint32_t start = 0; ok && !s->stopped && start < S; start += batch->shape.S) {
        uint32_t used = S - start < batch->shape.S ? S - start : batch->shape.S;
        double before = deadline_now(&s->deadline);
        bool complete;
        p->asked = p->begun = 0;
        ok = run_decode(p->run, start, &watch, &complete);
        s->seconds += deadline_now(&s->deadline) - before;
        ok = ok && (!complete || collect(p, batch, used));
        if (ok && complete)
            report(p, batch, start + batch->shape.S >= S);
    }
    return ok;
}

bool search_pass(struct search *s, bool urgent)
{
    struct pass p = { .search = s, .urgent = urgent, .improved = xcalloc(s->count, sizeof(bool)) };
    bool ok = true;
    s->seconds = 0;
    for (size_t i = 0; ok && !s->stopped && i < arrlenu(s->plan.batches); i++)
        ok = run_batch(&p, &s->plan.batches[i]);
    run_destroy(&p.run);
    free(p.improved);
    return ok;
}
