// mdam-vk bench: times kernels and whole jobs against yardsticks measured in the same run.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <stb/stb_ds.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/device.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "selftest/selftest.h"
#include "util/error.h"
#include "util/ranks.h"
#include "util/text.h"

static bool as_json, brief, quick;

static json_t *positive_or_null(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static bool print_json(const struct bench_report *report)
{
    json_t *list = json_array();
    for (ptrdiff_t i = 0; i < arrlen(report->results); i++) {
        const struct bench_result *result = &report->results[i];
        json_array_append_new(
            list, json_pack("{s:s, s:f, s:o, s:o, s:o, s:o, s:o}", "name", result->name, "seconds", result->seconds,
                      "cost", positive_or_null(result->cost), "share", positive_or_null(result->share), "gflops",
                      positive_or_null(result->gflops), "gbytes", positive_or_null(result->gbytes), "copy_share",
                      positive_or_null(result->copy_share)));
    }
    return report_json(
        json_pack("{s:o, s:s, s:i, s:s, s:o}", "yardstick_gflops", positive_or_null(report->yardstick_gflops), "device",
            report->device, "lanes", (int)report->lanes, "target", report->target, "results", list));
}

static void print_cell(const char *format, double value)
{
    char text[32] = "-";
    if (value > 0)
        snprintf(text, sizeof text, format, value);
    printf(" %9s", text);
}

static void print_table(const struct bench_report *report)
{
    printf("%s, %u lanes, %s\n", report->device, report->lanes, report->target);
    if (report->yardstick_gflops > 0)
        printf("yardstick: OpenBLAS sgemm on two threads, %.1f GFLOP/s\n", report->yardstick_gflops);
    printf("%-28s %9s %9s %9s %9s %9s %9s\n", "", "ms", "cost", "GFLOP/s", "share", "GB/s", "of copy");
    for (ptrdiff_t i = 0; i < arrlen(report->results); i++) {
        const struct bench_result *result = &report->results[i];
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

// Other work on the machine lengthens all times, those of long jobs most, so the shares are wrong.
static void warn_if_busy(void)
{
    double load;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (getloadavg(&load, 1) != 1 || load < (double)processors)
        return;
    struct text text = { 0 };
    text_add(&text, "the machine is busy (load %.1f on %ld processors): the figures will be wrong", load, processors);
    warn("bench", text.data);
    text_finish(&text);
}

static void show(void *user, const char *line)
{
    (void)user;
    progress_show("%s", line);
}

static bool run(const struct arguments *arguments, int *status)
{
    (void)status;
    struct mdam_device *device = NULL;
    struct bench_options options = {
        .names = arguments->operands, .count = arrlenu(arguments->operands), .progress = show
    };
    if (brief && quick)
        return fail(FAULT_INPUT, "--brief excludes --quick");
    if (brief || quick)
        options.effort = brief ? BENCH_BRIEF : BENCH_QUICK;
    if (!ranks_join() || !ranks_all(bench_check(&options) && device_open(&device)))
        return false;
    if (!quick)
        warn_if_busy();
    struct bench_report report;
    bool ok = bench_run(&report, device, &options);
    progress_clear();
    if (ok && options.effort == BENCH_FULL && !(report.yardstick_gflops > 0))
        warn("bench", "the yardstick, OpenBLAS (libopenblas.so.0), is not installed: no comparison");
    const bool prints = ok && ranks_rank() == 0;
    if (prints && as_json)
        ok = print_json(&report);
    else if (prints)
        print_table(&report);
    bench_finish(&report);
    ok = ok && device_done(device);
    mdam_device_close(&device);
    return ok;
}

static const struct flag flags[] = {
    { "--json", NULL, FLAG_SWITCH, &as_json, NULL, "write JSON" },
    { "--brief", NULL, FLAG_SWITCH, &brief, NULL, "few runs of every benchmark; no yardstick" },
    { "--quick", NULL, FLAG_SWITCH, &quick, NULL,
        "run the smallest size of every benchmark once, including growth, as a test; no yardstick" },
    FLAG_MPI,
    { NULL },
};

const struct command command_bench = {
    .name = "bench",
    .summary =
        "time kernels and whole jobs against yardsticks of this machine; NAME is a prefix of benchmark names; growth "
        "(how costs grow with n, beam width and batch) runs only if named",
    .operands = "[NAME ...]",
    .max_operands = 1000,
    .flags = { flags, common_flags },
    .run = run,
};
