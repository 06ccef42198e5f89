// mdam-vk bench: kernels and whole jobs, timed against yardsticks measured in the same run.
#include "selftest/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stb/stb_ds.h>

#include "api/internal.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/device.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/rng.h"

enum { RUNS = 7 };                    // at least
static const double seconds_each = 1; // at least, so that a short job has many chances of an undisturbed run

static bool as_json, quick;

struct result {
    char name[64];
    double seconds, flops, bytes;
    // Told from those at the end, when the yardstick is known; 0: does not apply.
    double gflops, gbytes, cost, share, copy_share;
};

struct bench {
    struct gpu *gpu;
    struct yardstick yardstick;
    double copy_gbytes;     // per second
    struct result *results; // stb_ds array
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
        rng_draw(&(struct rng){ .seed = tensor.at }, (uint32_t)(i / 4), number);
        for (uint64_t k = 0; k < 4 && i + k < count; k++)
            values[i + k] = 2 * rng_unit(number[k]) - 1;
    }
    job->failed = !tensor_upload(job->gpu, tensor, values);
    free(values);
    return tensor;
}

// The best of several runs: what else the machine does can only lengthen one.
static bool time_runs(struct cmd *c, double *seconds)
{
    if (!quick && !cmd_run(c)) // the first run finds pages and caches cold
        return false;
    double begin = clock_seconds();
    *seconds = 0;
    for (int run = 0; quick ? run < 1 : run < RUNS || clock_seconds() - begin < seconds_each; run++) {
        double start = clock_seconds();
        if (!cmd_run(c))
            return false;
        double took = clock_seconds() - start;
        if (run == 0 || took < *seconds)
            *seconds = took;
    }
    return true;
}

static bool run_one(struct gpu *gpu, const struct benchmark *benchmark, struct result *result)
{
    *result = (struct result){ 0 };
    name_of(benchmark, result->name);
    if (benchmark->whole)
        return benchmark->whole(gpu, benchmark, quick, &result->seconds) || fail_within("%s", result->name);
    struct bench_job job = { .gpu = gpu, .arena = arena_create(gpu, benchmark->stem) };
    benchmark->record(&job, benchmark->size);
    bool ok = arena_back(job.arena);
    if (ok) {
        job.c = cmd_create(gpu);
        cmd_label(job.c, "%s", result->name);
        benchmark->record(&job, benchmark->size);
        ok = !job.failed && time_runs(job.c, &result->seconds);
    }
    cmd_destroy(&job.c);
    arena_destroy(&job.arena);
    result->flops = job.flops;
    result->bytes = job.bytes;
    return ok || fail_within("%s", result->name);
}

// Whether an entry before it begins with the same word.
static bool is_repeated(const struct benchmark *benchmark)
{
    size_t length = strcspn(benchmark->stem, " ");
    for (const struct benchmark *other = bench_table; other < benchmark; other++) {
        if (strcspn(other->stem, " ") == length && !strncmp(other->stem, benchmark->stem, length))
            return true;
    }
    return false;
}

// Names select by how they begin; without any everything runs that need not be asked for.
static bool selected(const struct arguments *arguments, const struct benchmark *benchmark)
{
    char name[64];
    name_of(benchmark, name);
    if (quick && is_repeated(benchmark))
        return false;
    for (ptrdiff_t i = 0; i < arrlen(arguments->operands); i++) {
        if (!strncmp(name, arguments->operands[i], strlen(arguments->operands[i])))
            return true;
    }
    return !arrlen(arguments->operands) && (quick || !benchmark->asked);
}

static bool check_names(const struct arguments *arguments)
{
    for (ptrdiff_t i = 0; i < arrlen(arguments->operands); i++) {
        const char *wanted = arguments->operands[i];
        struct text names = { 0 };
        bool known = false;
        for (const struct benchmark *benchmark = bench_table; benchmark->stem; benchmark++) {
            char name[64];
            name_of(benchmark, name);
            known = known || !strncmp(name, wanted, strlen(wanted));
            text_add(&names, "%s%s", benchmark == bench_table ? "" : ", ", name);
        }
        if (!known)
            fail(FAULT_INPUT, "no benchmark begins with \"%s\"; there are: %s", wanted, names.data);
        text_finish(&names);
        if (!known)
            return false;
    }
    return true;
}

// Times the selected ones, the yardstick before, between and after. The copy runs in any case once something is to be
// compared with it.
static bool run_selected(struct bench *bench, const struct arguments *arguments)
{
    for (const struct benchmark *benchmark = bench_table; benchmark->stem; benchmark++) {
        bool shown = selected(arguments, benchmark);
        if (!shown && benchmark != bench_table)
            continue;
        struct result result;
        progress_show("%s", benchmark->stem);
        yardstick_measure(&bench->yardstick);
        if (!run_one(bench->gpu, benchmark, &result))
            return false;
        progress_show("%s: %.3f ms", result.name, 1e3 * result.seconds);
        if (benchmark == bench_table)
            bench->copy_gbytes = 1e-9 * result.bytes / result.seconds;
        if (shown)
            arrput(bench->results, result);
    }
    yardstick_measure(&bench->yardstick);
    progress_clear();
    return true;
}

static void compare(struct bench *bench)
{
    double yardstick = bench->yardstick.gflops;
    for (ptrdiff_t i = 0; i < arrlen(bench->results); i++) {
        struct result *result = &bench->results[i];
        result->gflops = 1e-9 * result->flops / result->seconds;
        result->gbytes = 1e-9 * result->bytes / result->seconds;
        result->cost = result->seconds * yardstick;
        result->share = yardstick > 0 ? result->gflops / yardstick : 0;
        result->copy_share = result->gbytes / bench->copy_gbytes;
    }
}

static json_t *positive_or_null(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static bool print_json(const struct bench *bench)
{
    json_t *list = json_array();
    for (ptrdiff_t i = 0; i < arrlen(bench->results); i++) {
        const struct result *result = &bench->results[i];
        json_array_append_new(
            list, json_pack("{s:s, s:f, s:o, s:o, s:o, s:o, s:o}", "name", result->name, "seconds", result->seconds,
                      "cost", positive_or_null(result->cost), "share", positive_or_null(result->share), "gflops",
                      positive_or_null(result->gflops), "gbytes", positive_or_null(result->gbytes), "copy_share",
                      positive_or_null(result->copy_share)));
    }
    const struct gpu_info *info = gpu_info(bench->gpu);
    return report_json(
        json_pack("{s:o, s:s, s:i, s:s, s:o}", "yardstick_gflops", positive_or_null(bench->yardstick.gflops), "device",
            info->name, "lanes", (int)info->lanes, "flavour", gpu_flavour_name(info->flavour), "results", list));
}

static void print_cell(const char *format, double value)
{
    char text[32] = "-";
    if (value > 0)
        snprintf(text, sizeof text, format, value);
    printf(" %9s", text);
}

static void print_table(const struct bench *bench)
{
    const struct gpu_info *info = gpu_info(bench->gpu);
    printf("%s, %u lanes, %s\n", info->name, info->lanes, gpu_flavour_name(info->flavour));
    if (bench->yardstick.gflops > 0)
        printf("yardstick: OpenBLAS sgemm on two threads, %.1f GFLOP/s\n", bench->yardstick.gflops);
    printf("%-28s %9s %9s %9s %9s %9s %9s\n", "", "ms", "cost", "GFLOP/s", "share", "GB/s", "of copy");
    for (ptrdiff_t i = 0; i < arrlen(bench->results); i++) {
        const struct result *result = &bench->results[i];
        printf("%-28s", result->name);
        print_cell("%.3f", 1e3 * result->seconds);
        print_cell("%.4g", result->cost);
        print_cell("%.2f", result->gflops);
        print_cell("%.3f", result->share);
        print_cell("%.2f", result->gbytes);
        print_cell("%.2f", result->copy_share);
        putchar('\n');
    }
}

// Others' work lengthens all times, and those of long jobs most: shares come out wrong.
static void warn_if_busy(void)
{
    double load;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (getloadavg(&load, 1) != 1 || load < (double)processors)
        return;
    struct text text = { 0 };
    text_add(&text, "the machine is busy (load %.1f on %ld processors): expect wrong figures", load, processors);
    warn("bench", text.data);
    text_finish(&text);
}

static bool run(const struct arguments *arguments, int *status)
{
    (void)status;
    struct mdam_device *device = NULL;
    if (!check_names(arguments) || !device_open(&device))
        return false;
    struct bench bench = { .gpu = device->gpu };
    if (!quick)
        warn_if_busy();
    if (!quick && !yardstick_open(&bench.yardstick))
        warn("bench", error_text());
    bool ok = run_selected(&bench, arguments);
    compare(&bench);
    if (ok && as_json)
        ok = print_json(&bench);
    else if (ok)
        print_table(&bench);
    arrfree(bench.results);
    yardstick_close(&bench.yardstick);
    ok = ok && device_done(device);
    mdam_device_close(&device);
    return ok;
}

static const struct flag flags[] = {
    { "--json", NULL, FLAG_SWITCH, &as_json, NULL, "as JSON" },
    { "--quick", NULL, FLAG_SWITCH, &quick, NULL,
        "one run of the smallest of each name, growth included, to see that they work; without a yardstick" },
    { NULL },
};

const struct command command_bench = {
    .name = "bench",
    .summary =
        "time kernels and whole jobs against yardsticks of this machine; a NAME selects by its beginning, and growth "
        "(how costs grow with n, beam width and batch) runs only when named",
    .operands = "[NAME ...]",
    .max_operands = 1000,
    .flags = { flags, common_flags },
    .run = run,
};
