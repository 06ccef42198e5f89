// Several decisions of all trajectories in one kernel, the problem's rules included: for CPU drivers and views without
// glimpses, where a worker keeps the rows of its slot in the core's cache. The same as decoder_forward() and
// rules_step() one after the other.
#ifndef MODEL_DECIDE_H
#define MODEL_DECIDE_H

#include "model/decoder.h"

struct decide {
    const struct decoder *decoder; // with `queries`
    enum choose_mode mode;
    struct tensor number, stream; // SAMPLE: (T) uint, for draws
    struct tensor given;          // GIVEN: (J, T) uint
    struct tensor total;          // (T): log-likelihoods, added to
    uint64_t seed;
    uint32_t offset, count; // the trajectories of a slot that decide: `count` from index `offset` on
    bool logs;              // the last decision's log-probabilities go to the decoder's, where they are allowed
};

// Whether the device has it for `count` trajectories of a slot.
bool decide_fits(const struct decoder *decoder, uint32_t count);
// Decisions from..to.
void decide_forward(struct cmd *c, const struct decide *decide, uint32_t from, uint32_t to);
// The same of given decisions, without the network.
void decide_follow(struct cmd *c, const struct decide *decide, uint32_t from, uint32_t to);

#endif
