// What the judges of the six problems share. A judge walks a solution in reading order and keeps the first violation.
#ifndef PROBLEM_JUDGE_H
#define PROBLEM_JUDGE_H

#include "problem/problem.h"

// Limits are met within this share of themselves: the planner adds lengths and prizes in single precision.
#define JUDGE_TOLERANCE 1e-6

struct judge {
    const struct instance *instance;
    const struct solution *solution;
    struct verdict *verdict;
    uint32_t *visits; // times each customer 0..n-1 was visited
    bool all_exist;   // every stop names a customer
};

void judge_begin(struct judge *, const struct instance *, const struct solution *, struct verdict *);

// Computes the length, in the file's own metric too, and frees. The objective is the length unless the caller then sets
// another.
void judge_end(struct judge *);

void judge_violation(struct judge *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void judge_violation_at(struct judge *, size_t route, size_t stop, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Counts the visit; the customer 0..n-1, or JUDGE_NOBODY after a violation when there is none.
#define JUDGE_NOBODY UINT32_MAX
uint32_t judge_visit(struct judge *, size_t route, size_t stop);

// The same, and a second visit is a violation and JUDGE_NOBODY.
uint32_t judge_first_visit(struct judge *, size_t route, size_t stop);

// The problems with one tour: visits each stop once; more than one route is a violation.
void judge_single_tour(struct judge *);

#endif
