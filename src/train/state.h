// How far a training has come: what, besides the numbers on the device, decides how it goes on.
#ifndef TRAIN_STATE_H
#define TRAIN_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct json_t;

// Of the steps since the last line of the log.
struct train_sums {
    uint32_t steps;
    double cost, baseline;
    uint32_t taken;        // steps that were not skipped, and only theirs:
    double loss, kl, norm; // finite
    // With imitation:
    double improved;                      // costs
    double improve_seconds, step_seconds; // that improving took, and all of the steps
};

struct train_state {
    uint64_t step;             // steps done
    uint32_t validations;      // done; one is due before training and after each epoch
    uint32_t challenges;       // of the baseline, done; one is due after each epoch
    uint32_t replaced;         // baselines so far; each has its own instances to be compared on
    uint32_t averages;         // steps in the exponential average
    double average;            // of the costs
    uint32_t has_best;         // a validation:
    double best;               // its cost, the lowest so far
    double validation_seconds; // that the last one took, or would have taken
    uint32_t skipped_in_row;   // steps, just now
    uint32_t optimiser_steps, optimiser_skips;
    struct train_sums sums;
    uint64_t log_bytes;
    double seconds;      // spent
    uint64_t checkpoint; // number of the one that holds this
};

struct json_t *state_to_json(const struct train_state *state);
bool state_from_json(struct train_state *state, const struct json_t *json);

#endif
