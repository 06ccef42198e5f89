// Why a solution leaves customers out.
#ifndef PROBLEM_REASON_H
#define PROBLEM_REASON_H

#include "problem/problem.h"

// The only route of a solution, with the lengths of its legs.
struct reasons {
    const struct instance *instance;
    size_t stops;   // which has one gap more
    uint32_t *node; // by stop
    double *leg;    // by gap; 0 after the last stop of an open route
    double length;
};

// Stops are those of the instance.
void reasons_init(struct reasons *reasons, const struct instance *instance, const struct solution *solution);
void reasons_finish(struct reasons *reasons);

// For customer I (0..n-1), whom the route does not visit, one of
//     "out of reach"   even alone it exceeds the limit on the length
//     "limit"          with it, wherever it is inserted, the route would exceed the limit
//     "no prize"       it brings nothing
//     "detour"         the detour is longer than its penalty
//     "not chosen"     it could be visited; the search found nothing better
const char *reasons_find(const struct reasons *reasons, uint32_t i);

#endif
