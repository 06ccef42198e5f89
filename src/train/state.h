// The progress of a training: everything besides the numbers on the device that determines how it continues.
#ifndef TRAIN_STATE_H
#define TRAIN_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct json_t;

// Sums over the steps since the last line of the log.
struct train_sums {
    uint32_t steps;
    double cost, baseline;
    uint32_t taken;        // steps that were not skipped; only these count in:
    double loss, kl, norm; // finite
    double improved;       // with imitation: costs
};

struct train_state {
    uint64_t step;           // steps done
    uint32_t validations;    // completed; one is due before training and after each epoch
    uint32_t challenges;     // comparisons with the baseline, completed; one is due after each epoch
    uint32_t replaced;       // baselines so far; each is compared on its own instances
    uint32_t averages;       // steps in the exponential average
    double average;          // of the costs
    uint32_t has_best;       // there was a validation:
    double best;             // its cost, the lowest so far
    uint32_t skipped_in_row; // consecutive steps, most recently
    uint32_t optimiser_steps, optimiser_skips;
    struct train_sums sums;
    uint64_t log_lines;
    uint64_t log_bytes;  // the same in a checkpoint of version 0.1, else 0; not written
    uint64_t checkpoint; // number of the checkpoint with this state; a later one has a higher number
};

// Durations of the same training. Nothing that is learned depends on it, so checkpoints do not have it.
struct train_clock {
    double seconds;                       // spent
    double validation_seconds;            // duration of the last validation, or its estimate
    double improve_seconds, step_seconds; // since the last line of the log: of improving, and of all steps
};

struct json_t *state_to_json(const struct train_state *state);
bool state_from_json(struct train_state *state, const struct json_t *json);

struct json_t *clock_to_json(const struct train_clock *clock);
bool clock_from_json(struct train_clock *clock, const struct json_t *json); // absent numbers are unchanged

#endif
