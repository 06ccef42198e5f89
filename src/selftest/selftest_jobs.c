// The whole jobs of `mdam-vk selftest`: whether they give the same bits again and the costs of other devices, how long
// a decision takes, and how near to a watchdog's limit the longest piece of work comes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/beam.h"
#include "search/plan.h"
#include "selftest/bench.h"
#include "selftest/selftest_internal.h"
#include "util/alloc.h"
#include "util/clock.h"

enum { REPEATS = 20, MANY = 8, FEW = 3 };

static const struct selftest_job {
    const char *name, *problem;
    uint32_t n, B, W;      // W 0: greedy
    double cost[CONFIG_M]; // each decoder's mean over the instances, by llvmpipe
} jobs[] = {
    { "greedy tsp20 x 32", "tsp", 20, 32, 0, { 10.204861, 7.632599, 9.576367, 8.561690, 8.380692 } },
    { "greedy cvrp100 x 2", "cvrp", 100, 2, 0, { 74.107922, 71.348507, 74.433449, 57.643272, 70.424465 } },
    { "beam 30 cvrp20 x 2", "cvrp", 20, 2, 30, { 14.186272, 15.226342, 12.188246, 9.503153, 9.520678 } },
    { "beam 30 cvrp100", "cvrp", 100, 1, 30, { 66.290504, 74.212944, 76.166092, 53.695747, 89.470085 } },
};

// Draws of B instances: costs of all trajectories; repeated, but after `until` only once.
static bool sample(const struct bench_whole *w, uint32_t B, int *repeats, double until, float *cost, bool *same)
{
    const struct view view = model_view(w->model);
    const uint32_t T = w->model->config.M * B;
    struct rollout *r = NULL;
    struct rollout_shape shape = {
        .B = B, .N = w->list[0].N, .S = 1, .J = rollout_longest(w->list, B), .mode = SAMPLE, .temperature = 1, .seed = 7
    };
    float *again = xcalloc(T, sizeof *again);
    bool ok = rollout_create(&r, &view, &shape) && rollout_load(r, w->list, NULL, B) && rollout_run(r) &&
              rollout_results(r, cost, NULL, NULL);
    *same = true;
    const int max_repeats = *repeats;
    for (*repeats = 1; ok && *repeats < max_repeats && (*repeats < 2 || clock_seconds() < until); ++*repeats) {
        ok = rollout_run(r) && rollout_results(r, again, NULL, NULL);
        *same = *same && !memcmp(again, cost, T * sizeof *cost);
    }
    rollout_destroy(&r);
    free(again);
    return ok;
}

void selftest_determinism(struct selftest *s)
{
    struct bench_whole w;
    bool again = false, same = true, unused;
    selftest_begin(s, "determinism");
    bool ok = bench_whole_open(&w, s->gpu, "tsp", 20, MANY);
    const uint32_t M = ok ? w.model->config.M : 0;
    float *many = xcalloc(M * MANY + 1, sizeof *many), *few = xcalloc(M * FEW + 1, sizeof *few);
    int times = REPEATS, once = 1;
    ok = ok && sample(&w, MANY, &times, s->start + SELFTEST_DETERMINISM, many, &again) &&
         sample(&w, FEW, &once, 0, few, &unused);
    for (uint32_t m = 0; m < M; m++)
        same = same && !memcmp(many + m * MANY, few + m * FEW, FEW * sizeof *few);
    if (ok) {
        selftest_check(s, again, "one rollout, again", "%d times, %s", times, again ? "the same bits" : "other bits");
        selftest_check(s, same, "in batches of two sizes", "%s", same ? "the same bits" : "other bits");
    } else {
        selftest_error(s, "rollouts");
    }
    free(many), free(few);
    bench_whole_close(&w);
}

// A job's outcome.
struct outcome {
    double cost[CONFIG_M]; // of each decoder
    double seconds;        // of a run
    uint32_t decisions;
    struct gpu_counts counts; // from the first to the last byte of the job
};

static struct gpu_counts since(const struct gpu *gpu, const struct gpu_counts *before)
{
    const struct gpu_counts now = gpu_counts(gpu);
    return (struct gpu_counts){ .submissions = now.submissions - before->submissions,
        .buffers = now.buffers - before->buffers,
        .commands = now.commands - before->commands,
        .waits = now.waits - before->waits,
        .paces = now.paces - before->paces };
}

static void report_counts(struct selftest *s, const char *name, const struct gpu_counts *c)
{
    char *line = xformat("%s: counts", name);
    selftest_info(s, line, "%llu commands in %llu command buffers and %llu submissions, %llu waits, %llu for a part",
        (unsigned long long)c->commands, (unsigned long long)c->buffers, (unsigned long long)c->submissions,
        (unsigned long long)c->waits, (unsigned long long)c->paces);
    free(line);
}

static bool run_job(struct gpu *gpu, const struct selftest_job *job, struct outcome *o)
{
    struct bench_whole w;
    struct beam *beam = NULL;
    struct rollout *rollout = NULL;
    bool ok = bench_whole_open(&w, gpu, job->problem, job->n, job->B);
    const struct view view = ok ? model_view(w.model) : (struct view){ 0 };
    const struct gpu_counts before = gpu_counts(gpu);
    const uint32_t J = rollout_longest(w.list, w.B), beams = ok ? w.model->config.M * w.B : 0;
    struct beam_shape wide = { .B = w.B, .N = w.list[0].N, .W = job->W, .K = 3, .J = J, .merge = true };
    struct rollout_shape greedy = { .B = w.B, .N = w.list[0].N, .S = 1, .J = J, .mode = GREEDY, .temperature = 1 };
    ok = ok && (job->W ? beam_create(&beam, &view, &wide) : rollout_create(&rollout, &view, &greedy)) &&
         rollout_load(job->W ? beam->rollout : rollout, w.list, NULL, w.B);
    struct rollout *r = job->W && ok ? beam->rollout : rollout;
    const double start = clock_seconds();
    ok = ok && rollout_run(r);
    o->seconds = clock_seconds() - start;
    float *cost = xcalloc(beams + 1, sizeof *cost);
    uint32_t *history = xcalloc((size_t)J * (beams + 1), sizeof *history);
    ok = ok && (job->W ? beam_results(beam, cost, history) : rollout_results(r, cost, NULL, NULL));
    o->counts = since(gpu, &before);
    memset(o->cost, 0, sizeof o->cost);
    for (uint32_t i = 0; i < beams; i++)
        o->cost[i / w.B] += cost[i] / w.B;
    uint32_t *steps = xcalloc(ok ? rollout_trajectories(r) : 1, sizeof *steps);
    ok = ok && rollout_steps(r, steps);
    o->decisions = 1;
    for (uint32_t t = 0; ok && t < rollout_trajectories(r); t++)
        o->decisions = steps[t] > o->decisions ? steps[t] : o->decisions;
    free(cost), free(history), free(steps);
    if (job->W)
        beam_destroy(&beam);
    else
        rollout_destroy(&rollout);
    bench_whole_close(&w);
    return ok;
}

static void report_longest(struct selftest *s)
{
    struct gpu *gpu = NULL;
    struct outcome o;
    if (!selftest_open(s, &gpu, (struct gpu_options){ .profile = true, .target = gpu_info(s->gpu)->target }))
        return;
    if (!run_job(gpu, &jobs[0], &o))
        selftest_error(s, "longest dispatch");
    else if (gpu_has_clock(gpu))
        selftest_info(s, "longest", "dispatch %.2f ms, submission %.2f ms", 1e3 * gpu_longest(gpu).dispatch,
            1e3 * gpu_longest(s->gpu).submission);
    else
        selftest_info(s, "longest", "not known: the device has no timestamps");
    gpu_close(&gpu);
}

uint32_t selftest_agreeing(const double found[CONFIG_M], const double expected[CONFIG_M])
{
    static const double tolerance = 1e-4; // of a decoder's mean
    uint32_t agreeing = 0;
    for (uint32_t m = 0; m < CONFIG_M; m++)
        agreeing += fabs(found[m] / expected[m] - 1) <= tolerance;
    return agreeing;
}

static double mean_of(const double cost[CONFIG_M])
{
    double sum = 0;
    for (uint32_t m = 0; m < CONFIG_M; m++)
        sum += cost[m];
    return sum / CONFIG_M;
}

// Another device's rounding may change a choice between two nodes of nearly the same probability, and so the routes of
// one decoder. A kernel that is wrong changes those of all: most decoders must agree.
static void report_job(struct selftest *s, const struct selftest_job *job, const struct outcome *o)
{
    const uint32_t agreeing = selftest_agreeing(o->cost, job->cost);
    const double us = 1e6 * o->seconds / o->decisions;
    selftest_check(s, 2 * agreeing > CONFIG_M, job->name,
        "cost %.6f, should be %.6f, by %u of %d decoders; %u decisions of %.0f us", mean_of(o->cost),
        mean_of(job->cost), agreeing, CONFIG_M, o->decisions, us);
    report_counts(s, job->name, &o->counts);
    s->report->decision_us = us; // at last, of a beam
}

void selftest_jobs(struct selftest *s)
{
    selftest_begin(s, "jobs");
    selftest_info(s, "rows in a batch", "%llu, of a beam %llu",
        (unsigned long long)plan_rows(gpu_info(s->gpu), MDAM_DECODE_GREEDY),
        (unsigned long long)plan_rows(gpu_info(s->gpu), MDAM_DECODE_BEAM));
    for (size_t i = 0; i < (s->options->quick ? 1 : sizeof jobs / sizeof *jobs); i++) {
        struct outcome o;
        if (selftest_late(s, SELFTEST_JOBS, jobs[i].name))
            continue;
        if (!run_job(s->gpu, &jobs[i], &o)) {
            selftest_error(s, jobs[i].name);
            continue;
        }
        report_job(s, &jobs[i], &o);
    }
    if (s->options->quick || selftest_late(s, SELFTEST_JOBS, "training step, longest dispatch"))
        return;
    double seconds = 0;
    const struct benchmark train = { "train", { 20, 64 }, .problem = "tsp" };
    const struct gpu_counts before = gpu_counts(s->gpu);
    if (bench_train(s->gpu, &train, BENCH_QUICK, &seconds)) {
        const struct gpu_counts counts = since(s->gpu, &before);
        selftest_info(s, "training step tsp20 x 64", "%.1f ms, the first", 1e3 * seconds);
        report_counts(s, "training step tsp20 x 64", &counts);
    } else
        selftest_error(s, "training step");
    report_longest(s);
}
