// Converts the actions of a trajectory to routes.
#ifndef PROBLEM_ROUTES_H
#define PROBLEM_ROUTES_H

#include "problem/problem.h"

// ACTIONS: at most J nodes as the network counts them, with a stride of STRIDE words. The trajectory ends when the
// routes are complete by the problem's rules.
struct solution routes_of(const struct instance *instance, const uint32_t *actions, size_t stride, uint32_t J);

#endif
