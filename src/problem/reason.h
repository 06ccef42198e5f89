// Why a solution leaves a customer out.
#ifndef PROBLEM_REASON_H
#define PROBLEM_REASON_H

#include "problem/problem.h"

// For customer I (0..n-1), whom the only route of a solution does not visit, one of
//     "out of reach"   even alone it exceeds the limit on the length
//     "limit"          with it, wherever it is inserted, the route would exceed the limit
//     "no prize"       it brings nothing
//     "detour"         the detour is longer than its penalty
//     "not chosen"     it could be visited; the search found nothing better
const char *unvisited_reason(const struct instance *instance, const struct solution *solution, uint32_t i);

#endif
