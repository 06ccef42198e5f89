// The whole model in plain double precision on the host, written for reading: both dialects, every normalisation, all
// six problems, with its own step rules, encoder, glimpse, decoders, loss and gradient.
#ifndef SELFTEST_REFERENCE_H
#define SELFTEST_REFERENCE_H

#include "model/config.h"
#include "problem/scale.h"
#include "selftest/tape.h"

// --- one trajectory -------------------------------------------------------------------------------------------------

// Sets are arrays of N flags; a depot is node 0.
struct walk {
    const struct scaled *instance;
    uint32_t current, first, steps;
    bool done;
    bool *visited;  // customers
    bool *allowed;  // nodes that the next decision may choose; done: node 0
    bool *before;   // the same at the previous decision
    bool *opening;  // the same at the first decision
    bool *relevant; // keys of the native glimpse
    uint32_t load;
    uint32_t *left; // demand not yet delivered
    double length, prize;
    uint32_t routes; // begun
    bool dead;       // vehicles are not enough
};

void walk_begin(struct walk *walk, const struct scaled *instance);
void walk_copy(struct walk *to, const struct walk *from); // TO has not begun
void walk_visit(struct walk *walk, uint32_t node);        // allowed, and the walk is not done
void walk_finish(struct walk *walk);
double walk_scalar(const struct walk *walk); // the state's scalar in the decoder's context
double walk_cost(const struct walk *walk);   // of a finished walk

// Returns the glimpse's keys before the walk's next decision, (N) flags.
void walk_keys(const struct walk *walk, enum dialect dialect, bool *keys);

// --- weights --------------------------------------------------------------------------------------------------------

// Names and shapes are those of params_list and stats_list.
struct reference_tensor {
    char name[48];
    int rank;
    uint32_t dim[4];
    size_t count;
    double *value;
    double *grad; // NULL before reference_backward
};

// MODEL_BATCH: the statistics that normalise all rows.
enum batch_statistics {
    BATCH_TRACKED,  // the model's tracked ones: solving
    BATCH_ALL,      // training: of the batch; in a glimpse, of all decoders' rows together
    BATCH_DECODERS, // training: the same, but of each decoder's rows
};

struct reference {
    struct config config;
    enum batch_statistics batch_statistics;
    struct reference_tensor *tensors; // stb_ds array: weights, then tracked statistics
};

// All values 0.
void reference_init(struct reference *model, const struct config *config);
void reference_finish(struct reference *model);

// Draws random weights, exact in single precision. SHARPNESS scales the decoders: 1 to 2 gives varied decisions; above
// that logits saturate and nearly tie.
void reference_randomise(struct reference *model, uint64_t seed, double sharpness);

// Converts from and to single precision: the values or their gradients (tracked statistics have none). TO is
// initialised.
struct weights;
void reference_load(struct reference *model, const struct weights *from);
void reference_store(const struct reference *model, bool gradient, struct weights *to);

struct reference_tensor *reference_find(const struct reference *model, const char *name); // NULL: no such

// --- running --------------------------------------------------------------------------------------------------------

// One decoder on one instance.
struct reference_path {
    struct walk walk;
    uint32_t *actions;  // stb_ds array, up to and including the last one
    struct mat **log_p; // stb_ds array: (1, N) for each action; owned by the tape
    double log_likelihood, cost;
    double margin; // min of (best - second) / best over all decisions
};

// How actions are chosen: greedily by default.
struct reference_choice {
    uint32_t *const *actions; // (M, B) stb_ds arrays: these; node 0 if one ends before its walk
    bool sample;              // draw by probability
    uint64_t seed;
    double temperature; // 0: 1
};

struct reference_slice {
    char *key;
    struct mat *value;
};

struct reference_run {
    const struct reference *model;
    const struct scaled *instances;
    uint32_t B;
    struct reference_choice choice;
    struct tape tape;
    struct mat **weights;           // parallel to the model's tensors
    struct reference_slice *slices; // stb_ds map: one decoder's part of them
    struct reference_path *paths;   // (M, B)
};

// Decodes B instances with every decoder, all in lock-step. CHOICE may be NULL.
void reference_decode(struct reference_run *run, const struct reference *model, const struct scaled *instances,
    uint32_t B, const struct reference_choice *choice);
void reference_run_finish(struct reference_run *run);

// Decisions of a beam search that other programs may make differently.
struct reference_doubt {
    uint32_t ties;  // merges of equals, of which the lower trajectory continues: another rule gives other beams
    uint32_t close; // scores or lengths that single precision may order differently
};

// Beam search of each decoder, of width W with the K best candidates per hypothesis: the min cost in its final beam,
// (M), and its doubts, (M) or NULL. Not with batch statistics.
void reference_beam(const struct reference *model, const struct scaled *instance, uint32_t W, uint32_t K, bool merge,
    double *cost, struct reference_doubt *doubt);

// Mean over the ordered pairs of decoders and the batch of the divergence at the first decision; 0 with one decoder.
double reference_kl(struct reference_run *run);

// Returns the training loss with baseline values (B): the mean over decoders and instances of (cost - baseline)
// log-likelihood, minus COEFFICIENT times the divergence.
double reference_loss(struct reference_run *run, const double *baseline, double coefficient);

// The same, and its gradient in the model's tensors.
double reference_backward(
    struct reference *model, struct reference_run *run, const double *baseline, double coefficient);

#endif
