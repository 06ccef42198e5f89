// Times kernels and whole jobs against yardsticks measured in the same run.
#include "selftest/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "api/internal.h"
#include "selftest/selftest.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/rng.h"

enum { RUNS = 7 };                   // min runs
static const double min_seconds = 1; // so that a short job has many chances of an undisturbed run

// A job's work, compared after the yardstick is known.
struct work {
    double flops, bytes;
};

struct bench {
    const struct bench_options *options;
    struct bench_report *report;
    struct gpu *gpu;
    struct yardstick yardstick;
    double copy_gbytes; // per second
    struct work *works; // stb_ds array: of the results
};

static void name_of(const struct benchmark *benchmark, char name[static 64])
{
    if (benchmark->whole) {
        snprintf(name, 64, "%s %s%u", benchmark->stem, benchmark->problem, benchmark->size[0]);
        return;
    }
    int used = snprintf(name, 64, "%s", benchmark->stem);
    for (int i = 0; i < 4 && benchmark->size[i]; i++)
        used += snprintf(name + used, 64 - (size_t)used, "%s%u", i ? "x" : " ", benchmark->size[i]);
}

struct tensor bench_random(struct bench_job *job, struct tensor tensor)
{
    uint64_t count = tensor_count(&tensor);
    if (!job->c || job->failed || !count)
        return tensor;
    float *values = xcalloc(count, sizeof *values);
    for (uint64_t i = 0; i < count; i += 4) {
        uint32_t number[4];
        rng_draw(&(struct rng){ .seed = tensor.address }, (uint32_t)(i / 4), number);
        for (uint64_t k = 0; k < 4 && i + k < count; k++)
            values[i + k] = 2 * rng_unit(number[k]) - 1;
    }
    job->failed = !tensor_upload(job->gpu, tensor, values);
    free(values);
    return tensor;
}

// Returns the best of several runs: other work on the machine can only lengthen one.
static bool time_runs(struct cmd *c, const struct bench_options *options, double *seconds)
{
    const bool quick = options->effort == BENCH_QUICK, brief = options->effort == BENCH_BRIEF;
    const double enough = brief ? 0.05 : min_seconds;
    const int min_runs = brief ? 3 : RUNS;
    if (!quick && !cmd_run(c)) // the first run has cold pages and caches
        return false;
    double begin = clock_seconds();
    *seconds = 0;
    for (int run = 0; quick ? run < 1 : run < min_runs || clock_seconds() - begin < enough; run++) {
        double start = clock_seconds();
        if (!cmd_run(c))
            return false;
        double took = clock_seconds() - start;
        if (run == 0 || took < *seconds)
            *seconds = took;
    }
    return true;
}

static bool run_one(
    const struct bench *bench, const struct benchmark *benchmark, struct bench_result *result, struct work *work)
{
    *result = (struct bench_result){ 0 };
    *work = (struct work){ 0 };
    name_of(benchmark, result->name);
    if (benchmark->whole)
        return benchmark->whole(bench->gpu, benchmark, bench->options->effort, &result->seconds) ||
               fail_within("%s", result->name);
    struct bench_job job = { .gpu = bench->gpu, .arena = arena_create(bench->gpu, benchmark->stem) };
    benchmark->record(&job, benchmark->size);
    bool ok = arena_back(job.arena);
    if (ok) {
        job.c = cmd_create(bench->gpu);
        cmd_label(job.c, "%s", result->name);
        benchmark->record(&job, benchmark->size);
        ok = !job.failed && time_runs(job.c, bench->options, &result->seconds);
    }
    cmd_destroy(&job.c);
    arena_destroy(&job.arena);
    *work = (struct work){ job.flops, job.bytes };
    return ok || fail_within("%s", result->name);
}

// Returns whether an earlier entry begins with the same word.
static bool is_repeated(const struct benchmark *benchmark)
{
    size_t length = strcspn(benchmark->stem, " ");
    for (const struct benchmark *other = bench_table; other < benchmark; other++) {
        if (strcspn(other->stem, " ") == length && !strncmp(other->stem, benchmark->stem, length))
            return true;
    }
    return false;
}

// Names are prefixes; without any, everything runs except entries that must be named.
static bool selected(const struct bench_options *options, const struct benchmark *benchmark)
{
    char name[64];
    name_of(benchmark, name);
    if (options->effort == BENCH_QUICK && is_repeated(benchmark))
        return false;
    for (size_t i = 0; i < options->count; i++) {
        if (!strncmp(name, options->names[i], strlen(options->names[i])))
            return true;
    }
    return !options->count && (options->effort == BENCH_QUICK || !benchmark->asked);
}

bool bench_check(const struct bench_options *options)
{
    for (size_t i = 0; i < options->count; i++) {
        const char *prefix = options->names[i];
        struct text names = { 0 };
        bool known = false;
        for (const struct benchmark *benchmark = bench_table; benchmark->stem; benchmark++) {
            char name[64];
            name_of(benchmark, name);
            known = known || !strncmp(name, prefix, strlen(prefix));
            text_add(&names, "%s%s", benchmark == bench_table ? "" : ", ", name);
        }
        if (!known)
            fail(FAULT_INPUT, "no benchmark begins with \"%s\"; the names are %s", prefix, names.data);
        text_finish(&names);
        if (!known)
            return false;
    }
    return true;
}

static void tell(const struct bench *bench, const char *line)
{
    if (bench->options->progress)
        bench->options->progress(bench->options->user, line);
}

// Times the selected benchmarks, with the yardstick before, between and after. The copy always runs if something is
// compared with it.
static bool run_selected(struct bench *bench)
{
    for (const struct benchmark *benchmark = bench_table; benchmark->stem; benchmark++) {
        bool shown = selected(bench->options, benchmark);
        if (!shown && benchmark != bench_table)
            continue;
        struct bench_result result;
        struct work work;
        char line[128];
        tell(bench, benchmark->stem);
        yardstick_measure(&bench->yardstick);
        if (!run_one(bench, benchmark, &result, &work))
            return false;
        snprintf(line, sizeof line, "%s: %.3f ms", result.name, 1e3 * result.seconds);
        tell(bench, line);
        if (benchmark == bench_table)
            bench->copy_gbytes = 1e-9 * work.bytes / result.seconds;
        if (shown) {
            arrput(bench->report->results, result);
            arrput(bench->works, work);
        }
    }
    yardstick_measure(&bench->yardstick);
    return true;
}

static void compare(struct bench *bench)
{
    double yardstick = bench->report->yardstick_gflops = bench->yardstick.gflops;
    for (ptrdiff_t i = 0; i < arrlen(bench->works); i++) {
        struct bench_result *result = &bench->report->results[i];
        result->gflops = 1e-9 * bench->works[i].flops / result->seconds;
        result->gbytes = 1e-9 * bench->works[i].bytes / result->seconds;
        result->cost = result->seconds * yardstick;
        result->share = yardstick > 0 ? result->gflops / yardstick : 0;
        result->copy_share = result->gbytes / bench->copy_gbytes;
    }
}

bool bench_run(struct bench_report *report, struct mdam_device *device, const struct bench_options *options)
{
    const struct gpu_info *info = gpu_info(device->gpu);
    *report =
        (struct bench_report){ .device = info->name, .target = gpu_target_name(info->target), .lanes = info->lanes };
    struct bench bench = { .options = options, .report = report, .gpu = device->gpu };
    if (options->effort == BENCH_FULL)
        yardstick_open(&bench.yardstick);
    bool ok = run_selected(&bench);
    compare(&bench);
    arrfree(bench.works);
    yardstick_close(&bench.yardstick);
    return ok;
}

void bench_finish(struct bench_report *report)
{
    arrfree(report->results);
}
