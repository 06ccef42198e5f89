// Benchmarks: a table of jobs, each recorded once and then timed over several runs.
#ifndef SELFTEST_BENCH_H
#define SELFTEST_BENCH_H

#include "nn/nn.h"
#include "selftest/selftest.h"

// A job as its entry sees it.
struct bench_job {
    struct gpu *gpu;
    struct arena *arena; // of the job's tensors
    struct cmd *c;       // NULL while tensors are counted and have no memory yet
    bool failed;         // latched by bench_random
    double flops;        // useful work of one run
    double bytes;        // the same for a memory-bound kernel, which is compared with a copy; else 0
};

struct benchmark {
    const char *stem;
    uint32_t size[4]; // the name is "stem AxBxC", with the sizes up to the first 0
    // Allocates the job's tensors, sets its work and records one run. Called twice, as layouts are; the first time it
    // returns before recording.
    void (*record)(struct bench_job *job, const uint32_t *size);
    // Or a whole job: times it and returns the seconds per instance, or per step of training. Named
    // "stem <problem>A".
    bool (*whole)(struct gpu *gpu, const struct benchmark *benchmark, enum bench_effort effort, double *seconds);
    const char *problem;
    bool asked; // runs only if named
};

// In running order; ends with an entry without a stem. The copy is first, because others are compared with it. Of
// entries whose stems begin with the same word the smallest is first.
extern const struct benchmark bench_table[];

// Functions of entries that are not in bench_table.c.
void bench_attention(struct bench_job *job, const uint32_t *size);
void bench_attention_back(struct bench_job *job, const uint32_t *size);
void bench_reattend(struct bench_job *job, const uint32_t *size);
void bench_reattend_back(struct bench_job *job, const uint32_t *size);
void bench_norm(struct bench_job *job, const uint32_t *size);
void bench_norm_batch(struct bench_job *job, const uint32_t *size);
void bench_norm_layer(struct bench_job *job, const uint32_t *size);
void bench_norm_back(struct bench_job *job, const uint32_t *size);
void bench_norm_batch_back(struct bench_job *job, const uint32_t *size);
void bench_norm_layer_back(struct bench_job *job, const uint32_t *size);
void bench_pointer(struct bench_job *job, const uint32_t *size);
void bench_pointer_share(struct bench_job *job, const uint32_t *size);
void bench_likelihood(struct bench_job *job, const uint32_t *size);
bool bench_greedy(struct gpu *gpu, const struct benchmark *benchmark, enum bench_effort effort, double *seconds);
bool bench_reduce(struct gpu *gpu, const struct benchmark *benchmark, enum bench_effort effort, double *seconds);
bool bench_train(struct gpu *gpu, const struct benchmark *benchmark, enum bench_effort effort, double *seconds);
bool bench_beam(struct gpu *gpu, const struct benchmark *benchmark, enum bench_effort effort, double *seconds);

// The inputs of a whole job: B instances of n customers, and an untrained model for them.
struct bench_whole {
    uint32_t B;
    struct scaled *list;
    struct model *model;
};
bool bench_whole_open(struct bench_whole *w, struct gpu *gpu, const char *problem, uint32_t n, uint32_t B);
void bench_whole_close(struct bench_whole *w);

// Fills the tensor with numbers in [-1, 1) unless this is the counting call. Returns it.
struct tensor bench_random(struct bench_job *job, struct tensor tensor);

// The yardstick for other speeds: OpenBLAS's single-precision matrix product on two threads.
struct yardstick {
    void *library;
    void (*sgemm)(int order, int a_form, int b_form, int m, int n, int k, float alpha, const float *a, int lda,
        const float *b, int ldb, float beta, float *c, int ldc);
    float *a, *b, *c;
    double gflops; // the best so far
};
bool yardstick_open(struct yardstick *yardstick); // false if OpenBLAS is not installed
void yardstick_measure(struct yardstick *yardstick);
void yardstick_close(struct yardstick *yardstick);

#endif
