// Instances and plans for the tests of improvement, and the best plans of tiny instances.
#ifndef TESTS_IMPROVE_SUPPORT_H
#define TESTS_IMPROVE_SUPPORT_H

#include "expect.h"

#include "improve/improve.h"

// A generated instance; of split loads, some exceed the capacity.
struct instance instance_drawn(const struct problem *problem, uint32_t n, uint32_t index);

// A random feasible plan, drawn from (SEED, index).
struct solution solution_drawn(const struct instance *instance, uint64_t seed);

// The objective of the best plan of a tiny instance, found by trying all of them.
double optimum(const struct instance *instance);

struct verdict judged(const struct instance *instance, const struct solution *solution);

// Fails the test unless AFTER is feasible and not worse.
void expect_not_worse(const struct instance *instance, const struct verdict *before, const struct verdict *after);

#endif
