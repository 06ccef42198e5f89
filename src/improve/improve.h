// Improves solutions on the host: local search, then ruin and recreate for the remaining time. Results are judged
// feasible and never worse than the given solutions: by the objective in the file's metric if it has one, else by the
// plain objective; between equal prizes the shorter tour is better.
//
// The same instance, solutions, seed and iterations give the same bytes for any number of threads. With a deadline or
// after cancelling, results depend on the progress; the functions then return within a tenth of a second.
#ifndef IMPROVE_IMPROVE_H
#define IMPROVE_IMPROVE_H

#include <stdatomic.h>

#include "problem/problem.h"

struct audit; // improve/local.h

// The plans that improve_full begins with: all that there are, the given ones alone, or neither of the given ones.
enum improve_from { IMPROVE_FROM_ALL, IMPROVE_FROM_GIVEN, IMPROVE_FROM_CONSTRUCTION, IMPROVE_FROM_RANDOM };

struct improve_options {
    uint64_t seed;
    enum improve_from from;      // IMPROVE_FROM_GIVEN without a feasible one: constructions
    uint32_t threads;            // 0: one
    uint64_t iterations;         // of each chain of improve_full; 0: until the deadline, or by the number of customers
    double deadline;             // on the clock; 0: none
    double (*clock)(void *user); // NULL: clock_seconds
    void *clock_user;
    const atomic_bool *cancel; // NULL: never
    bool expected;             // use expected prizes although real ones are known
    struct audit *audit;       // NULL: none; requires one thread
    // improve_full calls it on the calling thread, about twenty times, for a solution better than the best so far.
    // True: BETTER is one, which improve_full frees. May be NULL.
    bool (*consult)(void *user, const struct solution *best, struct solution *better);
    void *consult_user;
};

// The start of the search that found the best solution.
enum improve_origin { IMPROVE_GIVEN, IMPROVE_SAVINGS, IMPROVE_INSERTION, IMPROVE_RANDOM };

struct improve_result {
    struct solution solution;
    enum improve_origin origin;
    size_t given;        // IMPROVE_GIVEN: its index
    double constructed;  // objective of the start, by the judge
    uint64_t iterations; // sum over all chains
};

// Improves each of the solutions in place by local search. Infeasible ones are unchanged.
void improve_local(
    const struct instance *instance, struct solution *solutions, size_t count, const struct improve_options *options);

// The same for one solution, keeping the arcs between the first COUNT actions of a trajectory that is like it: nodes as
// the network numbers them.
void improve_rest(const struct instance *instance, struct solution *solution, const uint32_t *actions, uint32_t count,
    const struct improve_options *options);

// Finds the best solution from the given ones (COUNT may be 0) and from textbook constructions, or as options->from
// says. If vehicles are limited and no plan has so few routes, the solution is empty.
void improve_full(const struct instance *instance, const struct solution *given, size_t count,
    const struct improve_options *options, struct improve_result *result);

// Returns whether verdict A is better than B; any feasible one is better than an infeasible one.
bool improve_is_better(const struct instance *instance, const struct verdict *a, const struct verdict *b);

// Copies a solution with its amounts.
void improve_copy(struct solution *to, const struct solution *from);

#endif
