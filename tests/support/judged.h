// Finished tours before the judge.
#ifndef TESTS_SUPPORT_JUDGED_H
#define TESTS_SUPPORT_JUDGED_H

#include "problem/scale.h"

// ACTIONS (stb_ds array) are the nodes of the network, 0 the depot where there is one. The judge must find the tour
// feasible and its objective COST, in the network's units, to a share of TOLERANCE.
void expect_judged(const struct instance *instance, const struct scaled *scaled, const uint32_t *actions, double cost,
    double tolerance);

#endif
