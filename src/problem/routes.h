// From the actions of a trajectory to routes.
#ifndef PROBLEM_ROUTES_H
#define PROBLEM_ROUTES_H

#include "problem/problem.h"

// ACTIONS: nodes as the network numbers them, STRIDE words apart, at most J; the trajectory ends where its problem's
// rules say so, by the route that they describe being complete.
struct solution routes_of(const struct instance *instance, const uint32_t *actions, size_t stride, uint32_t J);

#endif
