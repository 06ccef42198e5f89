// Better plans from given ones, on the host: local search, then ruin and recreate for the time that is left. Results
// are judged feasible and never worse than what came in: by the objective in the file's own metric where it has one,
// else by the plain objective; of equal prizes the shorter tour is better.
//
// The same instance, solutions, seed and iterations give the same bytes, whatever the threads. With a deadline or when
// cancelled, results depend on how far it came; it returns within a tenth of a second then.
#ifndef IMPROVE_IMPROVE_H
#define IMPROVE_IMPROVE_H

#include <stdatomic.h>

#include "problem/problem.h"

struct audit; // improve/local.h

struct improve_options {
    uint64_t seed;
    uint32_t threads;            // 0: one
    uint64_t iterations;         // of each chain of improve_full; 0: until the deadline, or by the number of customers
    double deadline;             // on the clock; 0: none
    double (*clock)(void *user); // NULL: clock_seconds
    void *clock_user;
    const atomic_bool *cancel; // NULL: nobody does
    bool expected;             // plans with expected prizes, though real ones are known
    struct audit *audit;       // NULL: none; needs one thread
    // improve_full asks, on the calling thread and about twenty times, for a plan better than the best so far, which
    // it goes on with. True: BETTER is one, for improve_full to finish. NULL: it asks nobody.
    bool (*consult)(void *user, const struct solution *best, struct solution *better);
    void *consult_user;
};

// Where the search that found the best plan began.
enum improve_origin { IMPROVE_GIVEN, IMPROVE_SAVINGS, IMPROVE_INSERTION };

struct improve_result {
    struct solution solution;
    enum improve_origin origin;
    size_t given;        // IMPROVE_GIVEN: which one
    double constructed;  // objective that it began with, as the judge has it
    uint64_t iterations; // done by all chains
};

// Local search on each of the solutions, in place. An infeasible one is left as it is.
void improve_local(
    const struct instance *instance, struct solution *solutions, size_t count, const struct improve_options *options);

// The best plan found from the given solutions (none is needed) and from textbook constructions.
void improve_full(const struct instance *instance, const struct solution *given, size_t count,
    const struct improve_options *options, struct improve_result *result);

// Whether verdict A is better than B; any feasible one is better than an infeasible one.
bool improve_is_better(const struct instance *instance, const struct verdict *a, const struct verdict *b);

// A copy; amounts too.
void improve_copy(struct solution *to, const struct solution *from);

#endif
