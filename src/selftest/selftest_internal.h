// Shared by the files of the report about a device.
#ifndef SELFTEST_SELFTEST_INTERNAL_H
#define SELFTEST_SELFTEST_INTERNAL_H

#include "gpu/gpu.h"
#include "model/config.h"
#include "selftest/selftest.h"

struct selftest {
    const struct selftest_options *options;
    struct selftest_report *report;
    struct gpu *gpu;
    const char *section; // of the next lines
    double start;        // by the clock
    size_t compared;     // pipelines: the first ones, by the section of kernels
};

// Seconds after which a section leaves out what it has not begun, so that a slow device ends within a minute.
enum { SELFTEST_KERNELS = 20, SELFTEST_DETERMINISM = 30, SELFTEST_SPEED = 40, SELFTEST_JOBS = 50 };
// Returns whether they are over, and says then that NAME is left out.
bool selftest_late(struct selftest *s, double seconds, const char *name);

void selftest_begin(struct selftest *s, const char *section);
void selftest_info(struct selftest *s, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void selftest_check(struct selftest *s, bool ok, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void selftest_error(struct selftest *s, const char *name); // what failed, with the recorded sentence
// Opens the device of the report once more, with other options. False is a line already.
bool selftest_open(struct selftest *s, struct gpu **gpu, struct gpu_options options);

void selftest_products(struct selftest *s);    // against double precision
void selftest_training(struct selftest *s);    // the optimiser and drawn instances, likewise
void selftest_speed(struct selftest *s);       // microbenchmarks
void selftest_determinism(struct selftest *s); // the same rollout again and again, in two batch shapes
void selftest_jobs(struct selftest *s);        // whole jobs: costs, times, the longest dispatch
// Returns how many decoders have the expected mean cost.
uint32_t selftest_agreeing(const double found[CONFIG_M], const double expected[CONFIG_M]);

#endif
