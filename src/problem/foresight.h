// The values of an instance that a planner may use before any visit: expected prizes, not the real ones, which
// visits reveal.
#ifndef PROBLEM_FORESIGHT_H
#define PROBLEM_FORESIGHT_H

#include "problem/problem.h"

// The instance as it is known beforehand, its limits tightened by the share MARGIN. Its columns are the original's: it
// is not to be finished, and goes with it.
struct instance foresight_of(const struct instance *instance, double margin);

// Adds customers to the end of a tour (an stb_ds array) until visits have brought the minimum prize, if the problem has
// one: always the one that is the cheapest to visit last, its penalty counted. Uses what the visits so far have
// brought, and of the others nothing that is unknown.
void foresight_collect(uint32_t **stops, const struct instance *instance);

#endif
