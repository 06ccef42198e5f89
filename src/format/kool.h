// Reproduces the published test sets (Kool et al. 2019, and MDAM's larger ones) exactly: NumPy's legacy generator in
// the order of their script. The whole set is drawn column by column, so every number depends on its size.
#ifndef FORMAT_KOOL_H
#define FORMAT_KOOL_H

#include "problem/problem.h"

struct mt19937 {
    uint32_t state[624];
    uint32_t next;
};

void mt19937_seed(struct mt19937 *mt, uint32_t seed);
double mt19937_double(struct mt19937 *mt);                  // uniform in [0, 1) with 53 bits
uint32_t mt19937_below(struct mt19937 *mt, uint32_t count); // uniform in 0..count-1

// A set of `count` instances of n customers. Each column has its own position in the stream of numbers.
struct kool {
    const struct problem *problem;
    uint32_t n;
    int64_t capacity; // CVRP, SDVRP
    enum prize_kind prize;
    struct mt19937 depot, nodes, third, fourth, fifth; // the columns in the order of drawing
};

void kool_init(struct kool *kool, const struct problem *problem, const struct distribution *distribution,
    uint32_t count, uint32_t seed);

// Makes the next instance; call it at most `count` times.
void kool_next(struct kool *kool, struct instance *instance);

#endif
