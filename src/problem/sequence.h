// From routes back to the actions of a trajectory: the inverse of problem/routes.h.
#ifndef PROBLEM_SEQUENCE_H
#define PROBLEM_SEQUENCE_H

#include "problem/problem.h"

// The actions (at most J, the last return included) of a trajectory that drives the routes of SOLUTION in an order and
// direction as near to those of LIKE, another solution, as can be: a tour without a depot begins with the first node of
// LIKE, routes come in the order of their customers' mean positions in LIKE, and each goes in the direction that has
// more arcs in common. The first PREFIX stops of LIKE are also in SOLUTION, in the same order: routes with them come
// first, as they are. A solution like itself stays as it is. Returns how many there are; 0 where no trajectory can: it
// delivers as much as it can with every visit, and that does not serve every customer.
uint32_t sequence_of(uint32_t *actions, uint32_t J, const struct instance *instance, const struct solution *solution,
    const struct solution *like, uint32_t prefix);

#endif
