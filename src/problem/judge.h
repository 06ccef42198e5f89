// Shared parts of the problems' judges. A judge reads a solution in order and records the first violation.
#ifndef PROBLEM_JUDGE_H
#define PROBLEM_JUDGE_H

#include "problem/problem.h"

// Relative tolerance of limits: the engine adds lengths and prizes in single precision.
#define JUDGE_TOLERANCE 1e-6

struct judge {
    const struct instance *instance;
    const struct solution *solution;
    struct verdict *verdict;
    uint32_t *visits; // visits to each customer 0..n-1
    bool all_exist;   // every stop is an existing customer
};

void judge_begin(struct judge *, const struct instance *, const struct solution *, struct verdict *);

// Computes the length, also in the file's metric, and frees memory. The objective is the length unless the caller then
// sets another one.
void judge_end(struct judge *);

void judge_violation(struct judge *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void judge_violation_at(struct judge *, size_t route, size_t stop, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Counts the visit and returns the customer 0..n-1; JUDGE_NONE after a violation if it does not exist.
#define JUDGE_NONE UINT32_MAX
uint32_t judge_visit(struct judge *, size_t route, size_t stop);

// The same, but a second visit is a violation and returns JUDGE_NONE.
uint32_t judge_first_visit(struct judge *, size_t route, size_t stop);

// The problems with loads: no more routes than vehicles, where these are limited.
void judge_vehicles(struct judge *);

// For problems with one tour: visits each stop once; a second route is a violation.
void judge_single_tour(struct judge *);

#endif
