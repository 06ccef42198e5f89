// A training from its first step, or a checkpoint, to its end, in a folder of its own:
//   model.safetensors  the best in validation so far
//   checkpoint/        what is needed to go on (train/checkpoint.h)
//   log.jsonl          (train/log.h)
//   curve.svg          a picture of it
#ifndef TRAIN_TRAIN_H
#define TRAIN_TRAIN_H

#include "model/weights.h"
#include "train/log.h"
#include "train/reinforce.h"

#define TRAIN_MODEL "model.safetensors" // in the training's folder

enum train_event {
    TRAIN_BEGINS,
    TRAIN_STEP,      // a step is complete
    TRAIN_EVALUATES, // `done` of `count` instances, for validation or to compare with the baseline
    TRAIN_VALIDATED,
};

struct train_progress {
    enum train_event event;
    uint32_t done, count;
    uint32_t epoch, epochs; // complete
    uint64_t step, steps;   // complete, of all epochs
    uint64_t instances;
    double cost, baseline, kl, lr; // of the last step
    uint32_t skipped;              // steps, so far
    bool has_validation;
    double validation, best; // costs: the last and the lowest
    double per_second;       // instances
    double seconds, seconds_left;
};

struct train_options {
    const char *folder;
    double time_limit;         // seconds of this run; 0: none
    double checkpoint_seconds; // between checkpoints; 0: only at the ends of epochs
    uint64_t memory;           // bytes for one batch; 0: what the device has left
    bool tensorboard;          // also write the log for TensorBoard; a training that has begun to do so goes on with it
    uint32_t threads;          // of the host, to improve solutions with; 0: as many as it runs at once
    // `progress` returning false ends the training with a checkpoint. Both may be NULL.
    bool (*progress)(void *user, const struct train_progress *progress);
    void (*note)(void *user, const char *sentence);
    void *user;
};

struct train {
    struct gpu *gpu;
    struct train_options options;
    struct train_settings settings;
    struct train_state state;
    struct replica *replica; // its frozen copy is the baseline's
    struct parts *parts;
    struct train_log log;
    struct train_progress progress;
    double started, saved; // by the clock: this run, its last checkpoint
    double measured;       // by the clock: when its speed began to be measured; 0: not yet
    uint64_t first_step;   // then
    double step_seconds;   // that the last step took
    double deadline;       // by the clock: when an evaluation is given up
    uint64_t begun;        // steps when this run began
    uint64_t validated;    // steps when it validated last, plus one; 0: not yet
    uint64_t left_out;     // likewise, when it had no time to validate
    bool stopped;          // by `progress`
    bool unsaved;          // something has happened since the last checkpoint
};

// Starts with the weights given, which settings->config describes.
bool train_start(struct train **train, struct gpu *gpu, const struct train_settings *settings,
    const struct weights *weights, const struct train_options *options);
// Goes on from a folder's checkpoint; EPOCHS 0: as many as it was started with.
bool train_resume(struct train **train, struct gpu *gpu, uint32_t epochs, const struct train_options *options);
void train_destroy(struct train **train);

// To the end, unless `progress` or the time limit stop it before.
bool train_run(struct train *train);

// --- its parts ----------------------------------------------------------------------------------------------------

// train/validate.c: validates, logs, and writes the model when it is the best so far. *ended: stopped in between.
bool train_validate(struct train *train, bool *ended);
bool train_save_unvalidated(struct train *train); // the model with the weights as they are
// Tells `progress`; false when the training is to stop.
bool train_tell(struct train *train, enum train_event event);
bool train_tell_done(void *train, uint32_t done);                 // the same for instances that are being evaluated
void train_note(const struct train *train, const char *sentence); // to `note`

// train/save.c
bool train_save(struct train *train);            // a checkpoint
bool train_curve(const struct train *train);     // curve.svg
double train_seconds(const struct train *train); // spent on it so far
uint64_t train_instances(const struct train *train);

#endif
