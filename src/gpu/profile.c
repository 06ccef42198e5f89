// Times of dispatches, added up per label or written one by one as a trace.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"
#include "util/alloc.h"
#include "util/text.h"

struct profile_entry {
    char *label;
    const char *kernel;
    double start, seconds, flops, bytes;
};

void gpu_profile_add(
    struct gpu *gpu, const char *label, const char *kernel, double start, double seconds, double flops, double bytes)
{
    struct profile_entry entry = { xstrdup(label), kernel, start, seconds, flops, bytes };
    arrput(gpu->profile, entry);
}

void gpu_profile_close(struct gpu *gpu)
{
    for (ptrdiff_t i = 0; i < arrlen(gpu->profile); i++)
        free(gpu->profile[i].label);
    arrfree(gpu->profile);
}

struct row {
    char name[200];
    int calls;
    double seconds, flops, bytes;
};

static int by_time(const void *a, const void *b)
{
    double x = ((const struct row *)a)->seconds, y = ((const struct row *)b)->seconds;
    return (x < y) - (x > y);
}

void gpu_profile_table(struct gpu *gpu, struct text *out)
{
    struct row *rows = NULL;
    double total = 0;
    for (ptrdiff_t i = 0; i < arrlen(gpu->profile); i++) {
        const struct profile_entry *entry = &gpu->profile[i];
        char name[200];
        snprintf(name, sizeof name, "%s %s", entry->label, entry->kernel);
        ptrdiff_t at = 0;
        while (at < arrlen(rows) && strcmp(rows[at].name, name))
            at++;
        if (at == arrlen(rows)) {
            struct row fresh = { 0 };
            snprintf(fresh.name, sizeof fresh.name, "%s", name);
            arrput(rows, fresh);
        }
        rows[at].calls++;
        rows[at].seconds += entry->seconds;
        rows[at].flops += entry->flops;
        rows[at].bytes += entry->bytes;
        total += entry->seconds;
    }
    if (rows)
        qsort(rows, (size_t)arrlen(rows), sizeof *rows, by_time);
    text_add(out, "%-48s %8s %10s %6s %9s %8s\n", "label and kernel", "calls", "ms", "%", "GFLOP/s", "GB/s");
    for (ptrdiff_t i = 0; i < arrlen(rows); i++) {
        const struct row *row = &rows[i];
        double rate = row->seconds > 0 ? 1e-9 / row->seconds : 0;
        text_add(out, "%-48s %8d %10.3f %6.1f %9.2f %8.2f\n", row->name, row->calls, 1e3 * row->seconds,
            total > 0 ? 100 * row->seconds / total : 0, row->flops * rate, row->bytes * rate);
    }
    text_add(out, "%-48s %8td %10.3f\n", "all", arrlen(gpu->profile), 1e3 * total);
    arrfree(rows);
}

// The "trace event" form that chrome://tracing and Perfetto read; times in microseconds.
void gpu_profile_trace(struct gpu *gpu, struct text *out)
{
    double zero = arrlen(gpu->profile) ? gpu->profile[0].start : 0;
    text_add(out, "{\"traceEvents\":[\n");
    for (ptrdiff_t i = 0; i < arrlen(gpu->profile); i++) {
        const struct profile_entry *entry = &gpu->profile[i];
        text_add(out,
            "%s{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%.3f,\"dur\":%.3f,"
            "\"args\":{\"flops\":%.0f,\"bytes\":%.0f}}",
            i ? ",\n" : "", entry->kernel, entry->label, 1e6 * (entry->start - zero), 1e6 * entry->seconds,
            entry->flops, entry->bytes);
    }
    text_add(out, "\n],\"displayTimeUnit\":\"ms\"}\n");
}
