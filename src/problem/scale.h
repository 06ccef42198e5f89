// Converts the user's units to those of the network.
//
// Coordinates inside the unit square with an extent of at least 0.5 are unchanged; others are shifted and scaled
// isotropically, (x - min) / larger range. Length limits and penalties scale with them. Prizes are divided by min_prize
// (if there is one), or by the largest if that exceeds 1. Loads are integers, divided by their common divisor.
//
// A depot far from its customers would squeeze them until the network can hardly distinguish them. In that case the
// customers fill the square, the network sees the depot at the nearest point of its border, and a separate column has
// the true lengths of the legs from and to the depot, which costs and limits use.
//
// Where lengths are not those of the coordinates, every leg has its length in a matrix. The unit is then the one in
// which the matrix and the coordinates fit best.
#ifndef PROBLEM_SCALE_H
#define PROBLEM_SCALE_H

#include "problem/problem.h"

// One instance as the network and the device's rules see it: flat columns of N = n + 1 nodes with the depot first (0 in
// every column), or N = n without a depot. Columns that the problem does not have are NULL. All values are finite.
struct scaled {
    const struct problem *problem;
    uint32_t N;
    float *coords;     // N x 2, in the unit square
    uint32_t *demand;  // N, at most 2^31 - 1 each, so that a load plus a demand fits 32 bits
    uint32_t capacity; // at most 2^31 - 1
    float *share;      // N: demand / capacity, the network's feature
    float *prize;      // N
    float *real_prize; // N
    float *penalty;    // N, in units of length
    float min_prize;   // 1, or 0 if no prize is required
    float max_length;  // reduced to just above the longest possible tour
    float *home;       // N: distance to a far depot; for the depot, how much closer the network sees it; NULL: not far
    float *extra[EXTRA_COLUMNS];
    float extra_scalar[EXTRA_COLUMNS];
    float *legs;                   // N x N, rows from: lengths that are not those of coords; NULL: they are
    uint32_t vehicles, start, end; // 0: not given
    uint32_t spare;                // load that limited vehicles may leave unused
    uint32_t options;              // RULES_LEGS, ..: what the rules look at besides columns and limits

    struct point shift; // user's coordinate = shift + coords * length_unit (except a far depot)
    double length_unit; // user's units per network unit, for lengths and penalties
    double prize_unit;  // user's units per network unit
    int64_t load_unit;  // integer demand per network unit
};

void scaled_init(struct scaled *scaled, const struct instance *instance);
void scaled_finish(struct scaled *scaled);

// Returns a value of a column, for node I or the instance, as the bits that a device reads.
uint32_t scaled_word(const struct scaled *scaled, const struct column *column, uint32_t i);

// Returns the max decisions of a trajectory.
uint32_t scaled_longest(const struct scaled *scaled);
// Returns the min, unless limited vehicles end it in failure.
uint32_t scaled_shortest(const struct scaled *scaled);

// Returns the larger range of the two coordinates, including the depot.
double scale_extent(const struct instance *instance);

// Returns whether the depot is so far away that the customers fill the square without it.
bool scale_has_far_depot(const struct instance *instance);

// Returns the greatest common divisor of all demands and the capacity.
int64_t scale_demand_unit(const struct instance *instance);

#endif
