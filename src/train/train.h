// A training from its first step, or a checkpoint, to its end, in a folder of its own:
//   model.safetensors  the best in validation so far
//   checkpoint/        everything needed to resume (train/checkpoint.h)
//   log.jsonl          (train/log.h)
//   curve.svg          a plot of the log
//   clock.json         durations, for the log and the estimates of a resumed training
#ifndef TRAIN_TRAIN_H
#define TRAIN_TRAIN_H

#include "model/weights.h"
#include "train/log.h"
#include "train/reinforce.h"

#define TRAIN_MODEL "model.safetensors" // in the training's folder

enum train_event {
    TRAIN_BEGINS,
    TRAIN_STEP,      // a step is complete
    TRAIN_EVALUATES, // `done` of `count` instances, for validation or comparison with the baseline
    TRAIN_VALIDATED,
};

struct train_progress {
    enum train_event event;
    uint32_t done, count;
    uint32_t epoch, epochs; // complete
    uint64_t step, steps;   // complete, over all epochs
    uint64_t instances;
    double cost, baseline, kl, lr; // of the last step
    uint32_t skipped;              // steps so far
    bool has_validation;
    double validation, best; // costs: the last and the lowest
    double per_second;       // instances per second, of all ranks
    double reduction;        // share of the time spent in adding up the ranks' gradients and waiting for them
    double seconds, seconds_left;
};

struct train_options {
    const char *folder;
    double time_limit;         // seconds of this run; 0: no limit
    double checkpoint_seconds; // between checkpoints; 0: only after each epoch
    uint64_t memory;           // bytes of one batch; 0: the device's free memory
    // Reads the instances of a file (stb_ds array); needed where the settings name one.
    bool (*read)(void *user, const char *path, const struct problem *problem, struct instance **list);
    bool tensorboard; // also write the log for TensorBoard; a training that has begun to do so continues
    uint32_t threads; // of the host, to improve solutions with; 0: as many as it runs at once
    // If `progress` returns false, the training ends with a checkpoint. Both may be NULL.
    bool (*progress)(void *user, const struct train_progress *progress);
    void (*note)(void *user, const char *sentence);
    void *user;
};

struct train {
    struct gpu *gpu;
    struct train_options options;
    struct train_settings settings;
    struct train_state state;
    struct train_clock clock;
    uint32_t slot;           // of the last checkpoint
    struct replica *replica; // its frozen copy is the baseline
    struct ranges *ranges;
    struct train_data *data;    // or NULL
    struct instance *instances; // stb_ds array: of the data
    struct train_log log;
    struct train_progress progress;
    double started, saved; // on the clock: this run, its last checkpoint
    double measured;       // on the clock: start of the measurement of speed; 0: not yet
    uint64_t first_step;   // at that time
    double waited;         // ranks_seconds() at that time
    double step_seconds;   // of the last step
    double deadline;       // on the clock: when an evaluation is abandoned
    uint64_t begun;        // steps at the start of this run
    uint64_t validated;    // steps at the last validation plus one; 0: not yet
    uint64_t left_out;     // the same when there was no time to validate
    bool stopped;          // by `progress`
    bool unsaved;          // something has changed since the last checkpoint
};

// Starts with the given weights, which settings->config describes.
bool train_start(struct train **train, struct gpu *gpu, const struct train_settings *settings,
    const struct weights *weights, const struct train_options *options);
// Continues from a folder's checkpoint; EPOCHS 0: unchanged.
bool train_resume(struct train **train, struct gpu *gpu, uint32_t epochs, const struct train_options *options);
void train_destroy(struct train **train);

// Runs to the end, unless `progress` or the time limit ends it earlier.
bool train_run(struct train *train);

// --- its parts ----------------------------------------------------------------------------------------------------

// train/validate.c: validates, logs, and writes the model if it is the best so far. *ended: ended early.
bool train_validate(struct train *train, bool *ended);
bool train_save_unvalidated(struct train *train); // writes the model with the current weights
// Calls `progress`; false: the training must stop.
bool train_tell(struct train *train, enum train_event event);
bool train_tell_done(void *train, uint32_t done);                 // the same for evaluated instances
void train_note(const struct train *train, const char *sentence); // to `note`

// train/save.c
bool train_save(struct train *train);            // a checkpoint
bool train_curve(const struct train *train);     // curve.svg
double train_seconds(const struct train *train); // duration so far
uint64_t train_instances(const struct train *train);

#endif
