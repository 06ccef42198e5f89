// The data sets of the attention model's program (Kool et al. 2019): pickled lists. An instance of tsp is a list of
// [x, y]; others are tuples (depot, nodes, ..) with demand and capacity, or prize and max_length, or penalty, prize and
// real_prize behind them.
#ifndef FORMAT_DATASET_H
#define FORMAT_DATASET_H

#include "problem/problem.h"
#include "util/text.h"

bool dataset_begins(const char *data, size_t size);

// Appends at most MAX_COUNT instances of PROBLEM; NULL: of tsp or pctsp, of cvrp where the third column has integers,
// else op.
bool instances_from_dataset(
    const char *data, size_t size, const struct problem *problem, size_t max_count, struct instance **instances);

// Refuses what such files do not hold, with the number of the instance.
bool instances_to_dataset(struct text *file, const struct instance *list, size_t count);

#endif
