// The interface of this folder for the command line; the folder sees the library's insides.
#ifndef SELFTEST_SELFTEST_H
#define SELFTEST_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mdam/mdam.h"

// How often a benchmark runs; its time is that of the best run.
enum bench_effort {
    BENCH_FULL,
    BENCH_BRIEF, // a few runs of each, without a yardstick
    BENCH_QUICK, // one run of the smallest of each name, without a yardstick
};

struct bench_options {
    const char *const *names; // select by how they begin
    size_t count;             // 0: all that need not be asked for
    enum bench_effort effort;
    void (*progress)(void *user, const char *line); // called before and after each
    void *user;
};

struct bench_result {
    char name[64];
    double seconds;
    double gflops, gbytes, cost, share, copy_share; // 0: does not apply
};

struct bench_report {
    const char *device, *target;
    uint32_t lanes;
    double yardstick_gflops;      // 0: OpenBLAS is not installed
    struct bench_result *results; // stb_ds array
};

// Refuses a name that no benchmark begins with.
bool bench_check(const struct bench_options *options);
// Times what the options select. The report is finished in either case.
bool bench_run(struct bench_report *report, struct mdam_device *device, const struct bench_options *options);
void bench_finish(struct bench_report *report);

// Measurements of a device: a list of lines to print or paste.
enum selftest_verdict { SELFTEST_INFO, SELFTEST_PASS, SELFTEST_FAIL };
struct selftest_line {
    const char *section; // "device", "subgroups", "kernels", "determinism", "speed", "jobs" or "pipelines"
    char *name, *text;
    enum selftest_verdict verdict;
};

struct selftest_report {
    struct selftest_line *lines; // stb_ds array
    uint32_t checks, passed;
    double gflops;      // of the fastest product
    double decision_us; // of a beam; with `quick`, of greedy decoding
};

struct selftest_options {
    const char *device; // as in struct mdam_device_options
    enum mdam_target target;
    bool quick;                                     // a part of each, to see that it works
    void (*progress)(void *user, const char *line); // called before each part
    void *user;
};

// False only where no device could be opened; what goes wrong later is a line. The report is finished in either case.
bool selftest_run(struct selftest_report *report, const struct selftest_options *options);
void selftest_finish(struct selftest_report *report);

#endif
