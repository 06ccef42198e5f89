// What the command line asks of this folder, which sees the library's insides.
#ifndef SELFTEST_SELFTEST_H
#define SELFTEST_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mdam/mdam.h"

struct bench_options {
    const char *const *names;                       // select by how they begin
    size_t count;                                   // 0: all that need not be asked for
    bool quick;                                     // one run of the smallest of each name, without a yardstick
    void (*progress)(void *user, const char *line); // told before and after each
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

#endif
