// Checks parity packs against two subjects: the double-precision reference, and the engine.
#ifndef SELFTEST_PARITY_H
#define SELFTEST_PARITY_H

#include <stdio.h>

#include "selftest/pack.h"

// All calls use the pack's own weights, instances and statistics. A call that fails records a message. A call that is
// NULL is not checked, which the output says.
struct parity_subject {
    const char *name;
    // Prepares the pack's model. STATE is the subject's own, and is closed even if this fails.
    bool (*open)(void **state, const struct pack *pack);
    void (*close)(void **state);
    void (*finish)(void); // after the last pack; NULL: nothing to do
    // Decodes greedily, or the sequences of pack->train. Sets for all (M, B) paths the actions, costs, log-likelihoods
    // and log-probabilities: greedily of at least the first step, else of every step.
    bool (*decode)(void *state, const struct pack *pack, bool greedy, struct pack_path *paths);
    // The training step of pack->train: divergence, loss, and the gradient in TO, which is initialised.
    bool (*gradient)(void *state, const struct pack *pack, double *kl, double *loss, struct weights *to);
    // Returns the min cost in each decoder's final beam, (M, B), with the beam's own normalisation.
    bool (*beam)(void *state, const struct pack *pack, const struct pack_beam *beam, double *cost);
};

extern const struct parity_subject parity_reference; // the double-precision reference
extern const struct parity_subject parity_engine;    // the model on a device

// Writes a line per check (TO NULL: none), and returns whether all passed.
bool parity_check(const struct pack *pack, const struct parity_subject *subject, FILE *to);
// The same, and tells LOG of every check: how far off, and how far it may be. NaN: it could not be run.
struct parity_log {
    void (*checked)(void *user, const char *what, double found, double limit, bool ok);
    void *user;
};
bool parity_check_logged(
    const struct pack *pack, const struct parity_subject *subject, FILE *to, const struct parity_log *log);
// The device of the engine from now on, which stays the caller's; NULL: one that the engine opens by itself.
struct gpu;
void parity_engine_use(struct gpu *gpu);

#endif
