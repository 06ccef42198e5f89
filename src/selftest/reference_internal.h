// Shared by the parts of the reference.
#ifndef SELFTEST_REFERENCE_INTERNAL_H
#define SELFTEST_REFERENCE_INTERNAL_H

#include "selftest/reference.h"

// The plain pass over a batch; the rows of all instances one below the other.
struct plain {
    uint32_t *first;           // (B): an instance's first row
    struct mat *input;         // of the top layer
    struct mat *q;             // of the top layer
    struct mat **k, **v;       // (B), likewise, of each instance
    struct mat *statistics[2]; // of the top layer's normalisations; NULL where rows have their own
    struct mat *h;             // output
};

void plain_pass(struct reference_run *run, struct plain *plain);
void plain_finish(struct plain *plain);

// One decoder's embedding of one instance's nodes, since the last glimpse.
struct embedding {
    struct mat *h;    // (N, D), 0 for rows that were not embedded again
    struct mat *mean; // (1, D) of the rows that were
};

struct embedding plain_embedding(struct reference_run *run, const struct plain *plain, uint32_t b);

// One who takes a glimpse: decoder m on instance b, at a walk's next decision.
struct viewer {
    const struct walk *walk;
    uint32_t m, b;
    struct embedding *embedding; // to be replaced
};

// Whether there is a glimpse before decision `step`.
bool glimpse_is_due(const struct config *config, uint32_t step);
void glimpse(
    struct reference_run *run, const struct plain *plain, uint32_t step, const struct viewer *viewers, uint32_t count);

// Decoder m: log-probabilities (1, N) of the walk's next action.
struct projection {
    struct mat *kvl;   // (N, 3 D)
    struct mat *fixed; // (1, D)
};
struct projection project(struct reference_run *run, uint32_t m, const struct embedding *embedding);
struct mat *decode(struct reference_run *run, uint32_t m, const struct walk *walk, const struct embedding *embedding,
    const struct projection *projection);

// A run without trajectories: the model's weights on a tape.
void run_begin(struct reference_run *run, const struct reference *model, const struct scaled *instances, uint32_t B,
    const struct reference_choice *choice);

// A weight on the run's tape, as a matrix with the tensor's last dimension along its rows. decoder_weight: decoder m's.
struct mat *weight(const struct reference_run *run, const char *name);
struct mat *decoder_weight(struct reference_run *run, const char *name, uint32_t m);

#endif
