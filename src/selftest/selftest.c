// `mdam-vk selftest`: what a device is, whether it computes right, and how fast. One block of text to send.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "selftest/parity.h"
#include "selftest/selftest_internal.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"

static void put(struct selftest *s, enum selftest_verdict verdict, const char *name, const char *format, va_list values)
{
    struct text text = { 0 };
    char line[512];
    vsnprintf(line, sizeof line, format, values);
    text_add(&text, "%s", line);
    struct selftest_line entry = { s->section, xstrdup(name), text.data, verdict };
    arrput(s->report->lines, entry);
    s->report->checks += verdict != SELFTEST_INFO;
    s->report->passed += verdict == SELFTEST_PASS;
}

void selftest_info(struct selftest *s, const char *name, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put(s, SELFTEST_INFO, name, format, values);
    va_end(values);
}

void selftest_check(struct selftest *s, bool ok, const char *name, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put(s, ok ? SELFTEST_PASS : SELFTEST_FAIL, name, format, values);
    va_end(values);
}

void selftest_error(struct selftest *s, const char *name)
{
    selftest_check(s, false, name, "%s", error_text());
    error_clear();
}

bool selftest_late(struct selftest *s, double seconds, const char *name)
{
    const double passed = clock_seconds() - s->start;
    const bool late = !s->options->quick && passed > seconds; // a quick one has little to leave out
    if (late)
        selftest_info(s, name, "left out after %.0f s: the device is slow", passed);
    return late;
}

void selftest_begin(struct selftest *s, const char *section)
{
    s->section = section;
    if (s->options->progress)
        s->options->progress(s->options->user, section);
}

bool selftest_open(struct selftest *s, struct gpu **gpu, struct gpu_options options)
{
    char device[16];
    snprintf(device, sizeof device, "%d", gpu_info(s->gpu)->index);
    options.device = device;
    if (gpu_open(gpu, &options))
        return true;
    selftest_error(s, "opening the device once more");
    return false;
}

static void identity(struct selftest *s)
{
    struct text text = { 0 };
    selftest_begin(s, "device");
    selftest_info(s, "mdam-vk", "%s", mdam_version());
    gpu_identity(s->gpu, &text);
    char *rest = text.data;
    for (char *line; (line = strtok_r(rest, "\n", &rest));) {
        char *colon = strstr(line, ": ");
        *colon = 0;
        selftest_info(s, line, "%s", colon + 2);
    }
    text_finish(&text);
}

static void subgroups(struct selftest *s)
{
    selftest_begin(s, "subgroups");
    if (!gpu_check_promises(s->gpu)) {
        selftest_error(s, "promises");
        return;
    }
    for (size_t i = 0; gpu_promise(i); i++)
        selftest_check(s, true, gpu_promise(i), "as promised");
}

// --- kernels against double precision -----------------------------------------------------------------------------

// Packs that meet every normalisation, rules of every kind, and more nodes than forms for small instances have:
// forward, gradient and beams of each against the model in double precision, through all kernels that solving and
// training take.
static const char *const packs[] = { "tsp-instance", "sdvrp-layer", "op-reference-live", "pctsp-batch", "cvrp-66",
    NULL };
static const char *const one_pack[] = { "cvrp-one-layer", NULL };

struct packed {
    struct selftest *s;
    const char *pack, *target;
};

static void note_check(void *user, const char *what, double found, double limit, bool ok)
{
    const struct packed *p = user;
    char *name = xformat("%s %s: %s", p->target, p->pack, what);
    if (isnan(found))
        selftest_error(p->s, name);
    else
        selftest_check(p->s, ok, name, "%.2g of %.2g", found, limit);
    free(name);
}

static void check_packs(struct selftest *s, struct gpu *gpu, const char *const *names)
{
    struct pack_recipe recipe;
    const char *name;
    parity_engine_use(gpu);
    for (uint32_t i = 0; (name = pack_own(i, &recipe)); i++) {
        bool named = false;
        for (const char *const *k = names; *k; k++)
            named = named || !strcmp(*k, name);
        if (!named)
            continue;
        char *title = xformat("%s %s", gpu_target_name(gpu_info(gpu)->target), name);
        const bool late = selftest_late(s, SELFTEST_KERNELS, title);
        free(title);
        if (late)
            continue;
        struct packed packed = { s, name, gpu_target_name(gpu_info(gpu)->target) };
        struct pack pack;
        pack_make(&pack, &recipe);
        parity_check_logged(&pack, &parity_engine, NULL, &(struct parity_log){ note_check, &packed });
        pack_finish(&pack);
    }
    parity_engine_use(NULL);
}

static void kernels(struct selftest *s)
{
    selftest_begin(s, "kernels");
    check_packs(s, s->gpu, s->options->quick ? one_pack : packs);
    if (s->options->quick)
        return;
    selftest_training(s);
    selftest_products(s);
    for (enum gpu_target target = GPU_TARGET_GPU; target < GPU_TARGETS; target++) {
        struct gpu *gpu = NULL;
        const bool suits = target != GPU_TARGET_CPU || gpu_info(s->gpu)->is_cpu;
        if (target == gpu_info(s->gpu)->target || !suits ||
            !selftest_open(s, &gpu, (struct gpu_options){ .target = target }))
            continue;
        if (gpu_info(gpu)->target == target)
            check_packs(s, gpu, one_pack);
        gpu_close(&gpu);
    }
}

// --- pipelines ----------------------------------------------------------------------------------------------------

// Kernels of the jobs that were not compared with double precision, because a slow device left that out.
static void report_others(struct selftest *s)
{
    const char **known = NULL; // stb_ds arrays
    struct gpu_pipeline_report r;
    struct text others = { 0 };
    for (size_t i = 0; gpu_pipeline_report(s->gpu, i, &r); i++) {
        bool found = !strcmp(r.kernel, "peak");
        for (ptrdiff_t k = 0; k < arrlen(known); k++)
            found = found || !strcmp(known[k], r.kernel);
        if (!found)
            arrput(known, r.kernel);
        if (!found && i >= s->compared)
            text_add(&others, "%s%s", others.size ? ", " : "", r.kernel);
        text_finish(&r.text);
    }
    selftest_info(s, "not compared", "%s", others.size ? others.data : "none");
    arrfree(known);
    text_finish(&others);
}

static void pipelines(struct selftest *s)
{
    double seconds;
    size_t count = gpu_pipeline_count(s->gpu, &seconds);
    selftest_begin(s, "pipelines");
    selftest_info(s, "built", "%zu in %.2f s (less with the driver's cache)", count, seconds);
    report_others(s);
    struct gpu_pipeline_report r;
    uint32_t spilling = 0, reported = 0;
    for (size_t i = 0; gpu_pipeline_report(s->gpu, i, &r); i++) {
        if (strstr(r.text.data, "no statistics")) {
            text_finish(&r.text);
            continue;
        }
        reported++;
        spilling += r.spills > 0;
        if (r.spills)
            selftest_info(s, r.kernel, "spills: %.300s", r.text.data);
        text_finish(&r.text);
    }
    if (reported)
        selftest_info(s, "registers", "%u of %u pipelines spill", spilling, reported);
    else
        selftest_info(s, "registers", "this driver reports none");
}

bool selftest_run(struct selftest_report *report, const struct selftest_options *options)
{
    *report = (struct selftest_report){ 0 };
    struct selftest s = { .options = options, .report = report, .start = clock_seconds() };
    if (!gpu_open(
            &s.gpu, &(struct gpu_options){
                        .device = options->device, .target = (enum gpu_target)options->target, .statistics = true }))
        return false;
    identity(&s);
    subgroups(&s);
    kernels(&s);
    s.compared = gpu_pipeline_count(s.gpu, &(double){ 0 });
    selftest_determinism(&s);
    selftest_speed(&s);
    selftest_jobs(&s);
    pipelines(&s);
    gpu_close(&s.gpu);
    return true;
}

void selftest_finish(struct selftest_report *report)
{
    for (ptrdiff_t i = 0; i < arrlen(report->lines); i++)
        free(report->lines[i].name), free(report->lines[i].text);
    arrfree(report->lines);
}
