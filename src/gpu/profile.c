// Times of dispatches: added up per label and kernel for the table; the first ones individually for the trace.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"
#include "util/alloc.h"

enum { EVENTS = 1 << 20 }; // limits the trace, so that a long training does not fill the host's memory

struct row {
    char *label, *kernel;
    uint64_t calls;
    double seconds, flops, bytes;
};

struct event {
    uint32_t row;
    double start, seconds, flops, bytes;
};

struct profile {
    struct row *rows;     // stb_ds array
    struct event *events; // stb_ds array
};

bool gpu_has_clock(const struct gpu *gpu)
{
    return gpu->found.timestamp_bits > 0;
}

size_t gpu_profile_row(struct gpu *gpu, const char *label, const char *kernel)
{
    if (!gpu->profile)
        gpu->profile = xcalloc(1, sizeof *gpu->profile);
    struct profile *profile = gpu->profile;
    for (ptrdiff_t i = 0; i < arrlen(profile->rows); i++) {
        if (!strcmp(profile->rows[i].label, label) && !strcmp(profile->rows[i].kernel, kernel))
            return (size_t)i;
    }
    struct row row = { .label = xstrdup(label), .kernel = xstrdup(kernel) };
    arrput(profile->rows, row);
    return (size_t)arrlen(profile->rows) - 1;
}

void gpu_profile_add(struct gpu *gpu, size_t index, double start, double seconds, double flops, double bytes)
{
    struct profile *profile = gpu->profile;
    struct row *row = &profile->rows[index];
    row->calls++;
    row->seconds += seconds;
    row->flops += flops;
    row->bytes += bytes;
    struct event event = { (uint32_t)index, start, seconds, flops, bytes };
    if (arrlen(profile->events) < EVENTS)
        arrput(profile->events, event);
}

void gpu_profile_close(struct gpu *gpu)
{
    struct profile *profile = gpu->profile;
    if (!profile)
        return;
    for (ptrdiff_t i = 0; i < arrlen(profile->rows); i++) {
        free(profile->rows[i].label);
        free(profile->rows[i].kernel);
    }
    arrfree(profile->rows);
    arrfree(profile->events);
    free(profile);
    gpu->profile = NULL;
}

static int by_time(const void *a, const void *b)
{
    const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

void gpu_profile_table(const struct gpu *gpu, struct text *out)
{
    if (!gpu_has_clock(gpu)) {
        text_add(out, "%s has no timestamps: nothing can be measured\n", gpu->info.name);
        return;
    }
    struct row *rows = gpu->profile ? gpu->profile->rows : NULL, **sorted = NULL;
    struct row all = { 0 };
    for (ptrdiff_t i = 0; i < arrlen(rows); i++) {
        all.calls += rows[i].calls;
        all.seconds += rows[i].seconds;
        arrput(sorted, &rows[i]);
    }
    if (sorted)
        qsort(sorted, (size_t)arrlen(sorted), sizeof *sorted, by_time);
    text_add(out, "%-32s %-20s %9s %11s %6s %9s %8s\n", "label", "kernel", "calls", "ms", "%", "GFLOP/s", "GB/s");
    for (ptrdiff_t i = 0; i < arrlen(sorted); i++) {
        const struct row *row = sorted[i];
        double rate = row->seconds > 0 ? 1e-9 / row->seconds : 0;
        text_add(out, "%-32s %-20s %9llu %11.3f %6.1f %9.2f %8.2f\n", row->label, row->kernel,
            (unsigned long long)row->calls, 1e3 * row->seconds, all.seconds > 0 ? 100 * row->seconds / all.seconds : 0,
            row->flops * rate, row->bytes * rate);
    }
    text_add(out, "%-32s %-20s %9llu %11.3f\n", "all", "", (unsigned long long)all.calls, 1e3 * all.seconds);
    const struct gpu_counts *counts = &gpu->counts;
    text_add(out,
        "%llu submissions, %llu command buffers, %llu commands, %llu blocking waits, %llu while the device had more to "
        "do, %llu uploads, %llu downloads\n",
        (unsigned long long)counts->submissions, (unsigned long long)counts->buffers,
        (unsigned long long)counts->commands, (unsigned long long)counts->waits, (unsigned long long)counts->paces,
        (unsigned long long)counts->uploads, (unsigned long long)counts->downloads);
    arrfree(sorted);
}

// Writes the "trace event" format of chrome://tracing and Perfetto; times in microseconds.
void gpu_profile_trace(const struct gpu *gpu, struct text *out)
{
    const struct profile none = { 0 }, *profile = gpu->profile ? gpu->profile : &none;
    double zero = arrlen(profile->events) ? profile->events[0].start : 0;
    text_add(out, GPU_TRACE_START);
    for (ptrdiff_t i = 0; i < arrlen(profile->events); i++) {
        const struct event *event = &profile->events[i];
        const struct row *row = &profile->rows[event->row];
        text_add(out, "%s{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":", i ? ",\n" : "\n");
        text_add_quoted(out, row->kernel);
        text_add(out, ",\"cat\":");
        text_add_quoted(out, row->label);
        text_add(out, ",\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"flops\":%.0f,\"bytes\":%.0f}}",
            1e6 * (event->start - zero), 1e6 * event->seconds, event->flops, event->bytes);
    }
    text_add(out, "\n]}\n");
}
