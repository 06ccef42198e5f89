// From the user's units to those of the network.
//
// Coordinates inside the unit square with a larger extent of at least 0.5 stay as they are; others are shifted and
// scaled isotropically, (x - min) / larger range. Length limits and penalties scale with them. Prizes are divided by
// min_prize (where there is one), or by the largest if that exceeds 1. Loads are whole numbers, divided by their common
// divisor.
//
// A depot far from its customers would squeeze them until the network hardly tells them apart. Then the customers fill
// the square, the network sees the depot at the nearest point of its border, and the legs from and to the depot have
// their true length in a column of their own, which costs and limits use.
#ifndef PROBLEM_SCALE_H
#define PROBLEM_SCALE_H

#include "problem/problem.h"

// One instance as the network and the device's rules see it: flat columns of N = n + 1 nodes with the depot first (and
// zero in every column), or N = n without a depot. Columns that the problem does not have are NULL. Every value is
// finite.
struct scaled {
    const struct problem *problem;
    uint32_t N;
    float *coords;     // N x 2, in the unit square
    uint32_t *demand;  // N, at most 2^31 - 1 each, so that a load plus a demand fits 32 bits
    uint32_t capacity; // at most 2^31 - 1
    float *share;      // N: demand / capacity, what the network sees
    float *prize;      // N
    float *real_prize; // N
    float *penalty;    // N, in units of length
    float min_prize;   // 1, or 0 when nothing has to be collected
    float max_length;  // a limit beyond any tour is brought down to one that still is
    float *home;       // N: distance from a far depot; of the depot, how much nearer it is seen; NULL: it is not far
    float *extra[EXTRA_COLUMNS];
    float extra_scalar[EXTRA_COLUMNS];

    struct point shift; // user's coordinate = shift + coords * length_unit (but of a far depot)
    double length_unit; // user's units in one: lengths and penalties
    double prize_unit;  // user's units in one
    int64_t load_unit;  // the instance's integer demand in one
};

void scaled_init(struct scaled *scaled, const struct instance *instance);
void scaled_finish(struct scaled *scaled);

// A value of a column, of node I or of the instance, as the bits that a device gets.
uint32_t scaled_word(const struct scaled *scaled, const struct column *column, uint32_t i);

// The most decisions that a trajectory takes.
uint32_t scaled_longest(const struct scaled *scaled);

// The larger of the two ranges of coordinates, the depot's included.
double scale_extent(const struct instance *instance);

// Whether the depot is so far from the customers that these fill the square without it.
bool scale_has_far_depot(const struct instance *instance);

// The largest whole number that divides every demand and the capacity.
int64_t scale_demand_unit(const struct instance *instance);

#endif
