// Size ranges: the instances of a batch have similar sizes, so that little of it is padding. A range is drawn in
// proportion to the number of its sizes.
#ifndef TRAIN_SIZES_H
#define TRAIN_SIZES_H

#include "env/rules.h"
#include "train/settings.h"

struct size_range {
    struct distribution distribution; // n_min..n_max of the range
    uint32_t N, J;                    // nodes, and max decisions of a trajectory
    enum batch_kind kind;             // of the instances
};

// Purposes of the endless sequences of instances; each has its own seed.
enum train_draws {
    DRAWS_TRAINING,
    DRAWS_VALIDATION,
    DRAWS_COMPARISON, // with the baseline
    DRAWS_SIZES,      // no instances: selects the range of each step
    DRAWS,
};
uint64_t sizes_seed(uint64_t seed, enum train_draws draws);

// Returns an stb_ds array that the caller frees.
struct size_range *sizes_ranges(const struct train_settings *settings);

// Returns the range of a step's batch.
uint32_t sizes_of_step(const struct train_settings *settings, const struct size_range *ranges, uint64_t step);

// A set of `count` instances is divided like the sizes; returns how many come before RANGE.
uint32_t sizes_before(
    const struct train_settings *settings, const struct size_range *ranges, uint32_t range, uint32_t count);

#endif
