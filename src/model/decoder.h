// Decisions of all trajectories with one cache of embeddings:
//     q = context Wstep + fixed,  log p = pointer(q, kvl)
#ifndef MODEL_DECODER_H
#define MODEL_DECODER_H

#include "env/rules.h"
#include "model/cache.h"
#include "model/queries.h"

struct decoder {
    const struct model *model;
    const struct rules *rules;
    const struct cache *cache;
    const struct queries *queries; // of the cache's rows, or NULL: q is multiplied out
    struct tensor slot;            // (T) uint: the slot of the cache that a trajectory reads; none: t
    uint32_t share;                // slot[t] = t / share; 0: any
    // The rows of a glimpse's slots; none: an instance's dense rows.
    struct tensor kept;  // (slots, W) uint: the nodes that have rows
    struct tensor first; // (slots) uint
    struct tensor node;  // (rows) uint
    float temperature;

    uint32_t steps;       // decisions that stay, one behind the other
    struct tensor ctx;    // (steps T, C), without `queries`
    struct tensor q;      // (steps T, D)
    struct tensor logp;   // (steps T, N)
    struct tensor saved;  // (steps T, ..): nn_pointer's
    struct tensor state;  // (steps T, RULES_STATE): before the decision; for the backward pass only
    struct tensor scalar; // (steps T): likewise, problems with a depot, with `queries`
    struct tensor dyn;    // (steps T, N): likewise, problems with split deliveries
};

// Everything above `steps` is set. With `keep` the states stay for the backward pass.
void decoder_layout(struct decoder *decoder, struct arena *arena, uint32_t steps, bool keep);
// The log-probabilities of decision k of those that stay, from the rules' state. (T, N).
void decoder_forward(struct cmd *c, const struct decoder *decoder, uint32_t k);
struct tensor decoder_logp(const struct decoder *decoder, uint32_t k);

// Gradients on the way back, shared by all that run one after the other. Not for share = 0.
struct decoder_grad {
    struct tensor dlogp;   // (steps T, N): where it starts from
    struct tensor dq;      // (steps T, D)
    struct tensor dwdyn;   // (slots, 3D): problems with split deliveries
    struct tensor pointer; // scratch of its gradient, if any
    struct tensor part;    // (slots, D), with `queries`
    struct tensor dctx;    // (T, C), without
    struct tensor scratch; // likewise
};
void decoder_grad_layout(struct decoder_grad *grad, struct arena *arena, const struct decoder *widest);
// Adds to the cache's dkvl and dfixed, and to dh or those of the queries. `instances` and `samples`: t = (m instances +
// b) samples + s.
void decoder_backward(struct cmd *c, const struct decoder *decoder, const struct decoder_grad *grad,
    const struct cache_grad *cache, const struct queries *queries, const struct model_grad *d, uint32_t instances,
    uint32_t samples);

#endif
