// Instances as arrays, in archives of NumPy (.npz): one problem and one size, with the names that RL4CO gives them.
//
//   locs (count, n, 2), depot (count, 2), demand (count, n), capacity (count), prize, penalty, max_length, min_prize,
//   deterministic_prize and stochastic_prize (pctsp, spctsp: prize and real_prize), problem (a text)
//
// One instance may do without the first dimension, and a scalar may stand for all instances.
#ifndef FORMAT_NPZ_H
#define FORMAT_NPZ_H

#include "problem/problem.h"
#include "util/text.h"

// Appends at most MAX_COUNT instances. Of a file without `problem` they are of PROBLEM; NULL: of the first that the
// arrays fit.
bool instances_from_npz(
    const char *data, size_t size, const struct problem *problem, size_t max_count, struct instance **instances);

// Refuses instances that differ in problem or size, with the number of the first.
bool instances_to_npz(struct text *file, const struct instance *list, size_t count);

#endif
