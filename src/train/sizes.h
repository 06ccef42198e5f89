// The sizes of a training's instances, in parts: the instances of a batch are of similar size, so that little of it is
// padding. A part is drawn as often as its sizes are among all.
#ifndef TRAIN_SIZES_H
#define TRAIN_SIZES_H

#include "train/settings.h"

struct size_part {
    struct distribution distribution; // n_min..n_max of the part
    uint32_t N, J;                    // nodes, and most decisions of a trajectory
};

// Which instances of the endless sequence a seed stands for.
enum train_draws {
    DRAWS_TRAINING,
    DRAWS_VALIDATION,
    DRAWS_COMPARISON, // with the baseline
    DRAWS_SIZES,      // none: the part of each step
    DRAWS,
};
uint64_t sizes_seed(uint64_t seed, enum train_draws draws);

// An stb_ds array, the caller's.
struct size_part *sizes_parts(const struct train_settings *settings);

// The part that a step's batch is drawn from.
uint32_t sizes_of_step(const struct train_settings *settings, const struct size_part *parts, uint64_t step);

// A set of `count` instances is divided like the sizes: those in front of part `part`.
uint32_t sizes_before(
    const struct train_settings *settings, const struct size_part *parts, uint32_t part, uint32_t count);

#endif
