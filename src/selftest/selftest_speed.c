// The microbenchmarks of `mdam-vk selftest`: what a device can do at best, what its host pays for talking to it, and
// what the kernels make of it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "api/internal.h"
#include "peak.spv.h"
#include "selftest/selftest_internal.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"

enum { RING = 1 << 20, HOPS = 1 << 15, EMPTY = 200, BLOCK = 4 << 20 };

static const struct kernel peak = KERNEL(peak);

// Memory and commands of one measurement.
struct probe {
    struct gpu *gpu;
    struct arena *arena;
    uint64_t to, next; // BLOCK bytes each
};

static bool open_probe(struct probe *p, struct gpu *gpu)
{
    *p = (struct probe){ .gpu = gpu, .arena = arena_create(gpu, "a measurement") };
    for (int pass = 0; pass < 2; pass++) {
        p->to = arena_allocate(p->arena, BLOCK);
        p->next = arena_allocate(p->arena, BLOCK);
        if (!pass && !arena_back(p->arena))
            return false;
    }
    return true;
}

// The shortest of a few runs, by the device's clock where it has one.
static bool time_best(struct cmd *c, double *seconds)
{
    bool ok = cmd_run(c);
    for (int run = 0; ok && run < 5; run++) {
        const double start = clock_seconds();
        ok = cmd_run(c);
        const double wall = clock_seconds() - start, took = cmd_seconds(c) > 0 ? cmd_seconds(c) : wall;
        if (run == 0 || took < *seconds)
            *seconds = took;
    }
    return ok;
}

static struct peak_args plain(const struct probe *p)
{
    return (struct peak_args){ .to = p->to, .next = p->next, .a = 0.999f, .b = 0.001f };
}

// Multiply-adds per second that registers alone allow: others are a share of it.
static bool time_peak(struct probe *p, double *gflops)
{
    struct peak_args args = plain(p);
    const uint32_t lanes = gpu_info(p->gpu)->lanes;
    const uint64_t workers = gpu_info(p->gpu)->is_cpu ? 64 : BLOCK / 4 / lanes;
    args.loops = gpu_info(p->gpu)->is_cpu ? 2000 : 200;
    const double flops = 2.0 * (double)(workers * lanes) * args.loops * PEAK_CHAINS * PEAK_REPEATS;
    struct cmd *c = cmd_create(p->gpu);
    double seconds = 0;
    cmd_label(c, "peak");
    cmd_dispatch(c, &(struct dispatch){ .kernel = &peak, .args = &args, .workers = workers, .flops = flops });
    bool ok = time_best(c, &seconds);
    *gflops = 1e-9 * flops / seconds;
    cmd_destroy(&c);
    return ok;
}

static bool time_hops(struct probe *p, double *seconds)
{
    struct peak_args args = plain(p);
    uint32_t *ring = xcalloc(RING, sizeof *ring);
    for (uint32_t i = 0; i < RING; i++) // an odd step through a power of two comes by everywhere
        ring[i] = (i + 40503u * 17) % RING;
    struct cmd *c = cmd_create(p->gpu);
    args.hops = HOPS;
    cmd_label(c, "loads");
    cmd_dispatch(c, &(struct dispatch){ .kernel = &peak, .args = &args, .workers = 1 });
    bool ok = gpu_upload(p->gpu, p->next, ring, BLOCK) && time_best(c, seconds);
    cmd_destroy(&c);
    free(ring);
    return ok;
}

static bool time_empty(struct probe *p, bool together, double *seconds)
{
    struct peak_args args = plain(p);
    struct cmd *c = cmd_create(p->gpu);
    cmd_label(c, "empty");
    cmd_together(c, together);
    for (int i = 0; i < EMPTY; i++) {
        args.to = p->to + (uint64_t)i * GPU_ALIGNMENT * 4;
        cmd_dispatch(c, &(struct dispatch){ .kernel = &peak, .args = &args, .workers = 1 });
    }
    cmd_together(c, false);
    bool ok = time_best(c, seconds);
    cmd_destroy(&c);
    return ok;
}

// One command from the host and back.
static bool time_round_trip(struct probe *p, double *seconds)
{
    struct cmd *c = cmd_create(p->gpu);
    cmd_label(c, "round trip");
    cmd_fill(c, p->to, 4, 0);
    bool ok = cmd_run(c);
    for (int run = 0; ok && run < 20; run++) {
        const double start = clock_seconds();
        ok = cmd_run(c);
        const double took = clock_seconds() - start;
        *seconds = run == 0 || took < *seconds ? took : *seconds;
    }
    cmd_destroy(&c);
    return ok;
}

static bool time_transfer(struct probe *p, bool up, size_t bytes, double *seconds)
{
    char *host = xcalloc(bytes, 1);
    bool ok = true;
    for (int run = 0; ok && run < 5; run++) {
        const double start = clock_seconds();
        ok = up ? gpu_upload(p->gpu, p->to, host, bytes) : gpu_download(p->gpu, host, p->to, bytes);
        const double took = clock_seconds() - start;
        *seconds = run == 0 || took < *seconds ? took : *seconds;
    }
    free(host);
    return ok;
}

static void report_transfers(struct selftest *s, struct probe *p)
{
    for (int staged = 0; staged < 2; staged++) {
        struct gpu *gpu = NULL;
        struct probe other;
        if (staged && !selftest_open(s, &gpu, (struct gpu_options){ .staging = true }))
            return;
        bool ok = !staged || open_probe(&other, gpu);
        struct probe *q = staged ? &other : p;
        double little[2] = { 0 }, much[2] = { 0 };
        for (int up = 0; ok && up < 2; up++)
            ok = time_transfer(q, up, 4, &little[up]) && time_transfer(q, up, BLOCK, &much[up]);
        const char *name = staged ? "staged transfers" : "transfers";
        if (ok)
            selftest_info(s, name, "up %.1f us, %.2f GB/s; down %.1f us, %.2f GB/s", 1e6 * little[1],
                1e-9 * BLOCK / much[1], 1e6 * little[0], 1e-9 * BLOCK / much[0]);
        else
            selftest_error(s, name);
        if (staged) {
            arena_destroy(&other.arena);
            gpu_close(&gpu);
        }
    }
}

static void report_device(struct selftest *s, double *gflops)
{
    struct probe p;
    double seconds = 0, alone = 0, hop = 0, trip = 0;
    bool ok = open_probe(&p, s->gpu) && time_peak(&p, gflops) && time_hops(&p, &hop) &&
              time_empty(&p, false, &seconds) && time_empty(&p, true, &alone) && time_round_trip(&p, &trip);
    if (ok) {
        selftest_info(s, "peak", "%.1f GFLOP/s of multiply-adds", *gflops);
        selftest_info(s, "dependent load", "%.1f ns", 1e9 * hop / HOPS);
        selftest_info(
            s, "empty dispatch", "%.2f us with a barrier, %.2f us without", 1e6 * seconds / EMPTY, 1e6 * alone / EMPTY);
        selftest_info(s, "submit and wait", "%.1f us", 1e6 * trip);
        report_transfers(s, &p);
    } else {
        selftest_error(s, "measurements");
    }
    arena_destroy(&p.arena);
}

static void report_benchmarks(struct selftest *s, const struct bench_report *bench, double peak_gflops)
{
    for (ptrdiff_t i = 0; i < arrlen(bench->results); i++) {
        const struct bench_result *r = &bench->results[i];
        struct text text = { 0 };
        text_add(&text, "%.3f ms", 1e3 * r->seconds);
        if (r->gflops > 0)
            text_add(&text, ", %.1f GFLOP/s, %.0f %% of the peak", r->gflops, 100 * r->gflops / peak_gflops);
        if (r->gbytes > 0)
            text_add(&text, ", %.2f GB/s", r->gbytes);
        selftest_info(s, r->name, "%s", text.data);
        text_finish(&text);
        if (!strncmp(r->name, "linear", 6) && r->gflops > s->report->gflops)
            s->report->gflops = r->gflops;
    }
}

void selftest_speed(struct selftest *s)
{
    static const char *const names[] = { "copy", "linear 10752x128x128", "linear 10752x128x512", "linear 10752x512x128",
        "linear-dx 10752x128x128", "linear-dw 10752x128x128", "attention 16x100", "reattend 320x100", "pointer 2560x20",
        "norm 512x21" };
    struct mdam_device device = { s->gpu };
    struct bench_report bench;
    double peak_gflops = 0;
    selftest_begin(s, "speed");
    report_device(s, &peak_gflops);
    for (size_t i = 0; i < (s->options->quick ? 1 : sizeof names / sizeof *names); i++) {
        if (selftest_late(s, SELFTEST_SPEED, names[i]))
            continue;
        if (bench_run(
                &bench, &device, &(struct bench_options){ .names = &names[i], .count = 1, .effort = BENCH_BRIEF }))
            report_benchmarks(s, &bench, peak_gflops);
        else
            selftest_error(s, names[i]);
        bench_finish(&bench);
    }
}
