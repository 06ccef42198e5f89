// Runs the jobs of docs/gpu.md on the device that the environment selects, with the models that ship, and prints what
// each asks of a device: how often the host talks to it, how many commands it runs, and on how many rows. The device is
// taken for a fast one without a clock, whose memory the host does not see, so that nothing depends on this machine's
// speed. For tools/gpu.
//
//     work_report FOLDER-OF-MODELS [JOB]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint/weights_file.h"
#include "model/rollout_internal.h"
#include "search/beam.h"
#include "selftest/bench.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/error.h"

static const struct job {
    const char *name, *problem;
    uint32_t n, W; // W 0: greedy
    uint32_t B;    // of a training step; else 0: one instance
    uint32_t p;
} jobs[] = {
    { "tsp20-greedy", "tsp", 20, 0, 0, 2 },
    { "tsp20-beam50", "tsp", 20, 50, 0, 2 },
    { "tsp100-greedy", "tsp", 100, 0, 0, 8 },
    { "tsp100-beam50", "tsp", 100, 50, 0, 8 },
    { "cvrp100-greedy", "cvrp", 100, 0, 0, 8 },
    { "cvrp100-beam30", "cvrp", 100, 30, 0, 8 },
    { "cvrp100-beam50", "cvrp", 100, 50, 0, 8 },
    { "tsp20-train", "tsp", 20, 0, 4, 2 },
    { "cvrp100-train", "cvrp", 100, 0, 1, 8 },
};

// Rows of a job, summed over its decisions or glimpses.
struct rows {
    struct rollout *rollout;
    uint32_t segments, next;  // passed so far; the decision at which the next segment starts
    uint64_t glimpse;         // rows of glimpses
    uint64_t pointer;         // rows that trajectories see, at every decision
    uint32_t *of_slot, *slot; // (T)
};

// Adds a segment whose commands were submitted, with `decisions` of its own.
static bool add_segment(struct rows *rows, uint32_t decisions)
{
    const struct rollout *r = rows->rollout;
    const struct glimpse *g = &r->segments[rows->segments ? 1 : 0].glimpse;
    const bool plain = !rows->segments;
    bool ok = plain || tensor_download(r->model->gpu, rows->of_slot, g->list.rows);
    ok = ok && (plain || !r->slot.address || tensor_download(r->model->gpu, rows->slot, r->slot));
    for (uint32_t t = 0; ok && t < r->rules.T; t++) {
        const uint32_t slot = r->slot.address ? rows->slot[t] : t;
        rows->glimpse += plain ? 0 : rows->of_slot[t];
        rows->pointer += (uint64_t)decisions * (plain ? r->shape.N : slot < r->rules.T ? rows->of_slot[slot] : 0);
    }
    rows->segments++;
    return ok;
}

static bool go_on(void *user, uint32_t decisions, uint32_t max_decisions)
{
    struct rows *rows = user;
    (void)max_decisions;
    if (decisions != rows->next)
        return true;
    const uint32_t from = rows->segments ? rows->next - rows->rollout->model->config.p : 0;
    rows->next = segment_end(rows->rollout, decisions);
    return add_segment(rows, decisions - from);
}

static bool count_rows(struct rows *rows)
{
    bool complete;
    const struct rollout_watch watch = { go_on, rows };
    rows->next = segment_end(rows->rollout, 0);
    return rollout_run_watched(rows->rollout, &watch, &complete) && complete &&
           add_segment(rows, rows->rollout->model->config.p);
}

static void print_counts(const struct gpu_counts *before, const struct gpu_counts *after, uint32_t runs)
{
    printf(" submissions=%.4g buffers=%.4g commands=%.6g waits=%.4g uploads=%.4g downloads=%.4g",
        (double)(after->submissions - before->submissions) / runs, (double)(after->buffers - before->buffers) / runs,
        (double)(after->commands - before->commands) / runs, (double)(after->waits - before->waits) / runs,
        (double)(after->uploads - before->uploads) / runs, (double)(after->downloads - before->downloads) / runs);
}

static bool run_solve(struct gpu *gpu, const struct job *job, const char *folder)
{
    struct weights weights;
    struct model *model = NULL;
    struct beam *beam = NULL;
    struct rollout *rollout = NULL;
    struct instance instance;
    struct scaled scaled;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.safetensors", folder, job->problem);
    if (!weights_load(path, &weights))
        return false;
    weights.config.p = job->p;
    problem_by_name(job->problem)
        ->generate(&instance, &(struct distribution){ job->n, job->n, 0, 0, PRIZE_DIST }, 1234, 0);
    scaled_init(&scaled, &instance);
    bool ok = model_create(&model, gpu, &weights.config) && model_load(model, &weights);
    const struct view view = ok ? model_view(model) : (struct view){ 0 };
    const uint32_t J = scaled_longest(&scaled);
    const struct gpu_counts before = gpu_counts(gpu);
    ok = ok && (job->W ? beam_create(&beam, &view, &(struct beam_shape){ 1, scaled.N, job->W, 3, J, .merge = true })
                       : rollout_create(&rollout, &view,
                             &(struct rollout_shape){ .B = 1, .N = scaled.N, .S = 1, .J = J, .temperature = 1 }));
    struct rollout *r = job->W && ok ? beam->rollout : rollout;
    const uint32_t T = ok ? r->rules.T : 1, M = ok ? model->config.M : 1;
    float *cost = xcalloc(T, sizeof *cost);
    uint32_t *history = xcalloc((size_t)J * T, sizeof *history), *steps = xcalloc(T, sizeof *steps), decisions = 0;
    ok = ok && rollout_load(r, &scaled, NULL, 1) && rollout_run(r) &&
         (job->W ? beam_results(beam, cost, history) : rollout_results(r, cost, history, NULL));
    const struct gpu_counts after = gpu_counts(gpu);
    ok = ok && rollout_steps(r, steps);
    for (uint32_t t = 0; t < T; t++)
        decisions = steps[t] > decisions ? steps[t] : decisions;
    struct rows rows = { .rollout = r, .of_slot = xcalloc(T, sizeof(uint32_t)), .slot = xcalloc(T, sizeof(uint32_t)) };
    ok = ok && count_rows(&rows);
    if (ok) {
        printf(
            "%s n=%u nodes=%u trajectories=%u decoders=%u decisions=%u glimpses=%u glimpse_rows=%llu pointer_rows=%llu",
            job->name, job->n, scaled.N, T, M, decisions, rows.segments - 1, (unsigned long long)rows.glimpse,
            (unsigned long long)rows.pointer);
        print_counts(&before, &after, 1);
        putchar('\n');
    }
    free(cost), free(history), free(steps), free(rows.of_slot), free(rows.slot);
    if (job->W)
        beam_destroy(&beam);
    else
        rollout_destroy(&rollout);
    model_destroy(&model);
    scaled_finish(&scaled);
    instance_finish(&instance);
    weights_finish(&weights);
    return ok;
}

// Three steps and the first of them: the difference is two, without what is done once.
static bool run_train(struct gpu *gpu, const struct job *job)
{
    const struct benchmark benchmark = { "train", { job->n, job->B }, .problem = job->problem };
    double seconds;
    struct gpu_counts one[2], three[2];
    one[0] = gpu_counts(gpu);
    bool ok = bench_train(gpu, &benchmark, BENCH_QUICK, &seconds);
    one[1] = three[0] = gpu_counts(gpu);
    ok = ok && bench_train(gpu, &benchmark, BENCH_FULL, &seconds);
    three[1] = gpu_counts(gpu);
    three[0].submissions += one[1].submissions - one[0].submissions;
    three[0].buffers += one[1].buffers - one[0].buffers;
    three[0].commands += one[1].commands - one[0].commands;
    three[0].waits += one[1].waits - one[0].waits;
    three[0].uploads += one[1].uploads - one[0].uploads;
    three[0].downloads += one[1].downloads - one[0].downloads;
    if (ok) {
        printf("%s n=%u batch=%u", job->name, job->n, job->B);
        print_counts(&three[0], &three[1], 2);
        putchar('\n');
    }
    return ok;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: work_report FOLDER-OF-MODELS [JOB]\n");
        return 2;
    }
    bool ok = true;
    setenv("MDAM_VK_INJECT", "timeless", 1);
    for (size_t i = 0; ok && i < sizeof jobs / sizeof *jobs; i++) {
        struct gpu *gpu;
        if (argc > 2 && strcmp(jobs[i].name, argv[2]))
            continue;
        ok = gpu_open(&gpu, &(struct gpu_options){ .staging = true, .submission_limit = 10 });
        if (!ok)
            break;
        ok = jobs[i].B ? run_train(gpu, &jobs[i]) : run_solve(gpu, &jobs[i], argv[1]);
        gpu_close(&gpu);
        fflush(stdout);
    }
    if (!ok)
        fprintf(stderr, "work_report: %s\n", error_text());
    return ok ? 0 : error_fault();
}
