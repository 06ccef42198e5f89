// Decisions of all trajectories with one cache of embeddings:
//     q = context Wstep + fixed,  log p = pointer(q, kvl)
#ifndef MODEL_DECODER_H
#define MODEL_DECODER_H

#include "env/rules.h"
#include "model/cache.h"
#include "model/queries.h"

// What is known of decisions that were made, for J steps of T trajectories: enough to compute the rest again.
struct trace {
    struct tensor state;   // (J T, RULES_STATE): before the decision
    struct tensor scalar;  // (J T), problems with a depot
    struct tensor allowed; // (J T, W)
    struct tensor dyn;     // (J T, N), problems with split deliveries
};
void trace_layout(struct trace *trace, struct arena *arena, const struct rules *rules, uint32_t J);
void trace_clear(struct cmd *c, const struct trace *trace);
void trace_save(struct cmd *c, const struct trace *trace, const struct rules *rules, uint32_t j); // decision j's

struct decoder {
    const struct model *model;
    const struct rules *rules;
    const struct cache *cache;
    const struct queries *queries; // of the cache's rows, or NULL: q is multiplied out
    struct tensor slot;            // (T) uint: the slot of the cache that a trajectory reads; none: t
    uint32_t repeat;               // slot[t] = t / share; 0: any
    // The rows of a glimpse's slots; none: an instance's dense rows.
    struct tensor relevant; // (slots, W) uint: the nodes that have rows
    struct tensor first;    // (slots) uint
    struct tensor node;     // (rows) uint
    float temperature;
    const struct trace *trace; // of all decisions, or NULL
    uint32_t from;             // its decision 0 there

    uint32_t steps;      // decisions whose activations stay, one behind the other; or 1, for one after the other
    struct tensor ctx;   // (steps T, C), without `queries`
    struct tensor q;     // (steps T, D)
    struct tensor logp;  // (steps T, N), or of more steps
    struct tensor saved; // (steps T, ..): nn_pointer's
};

// Everything above `steps` is set. The log-probabilities of `logs` steps stay.
void decoder_layout(struct decoder *decoder, struct arena *arena, uint32_t steps, uint32_t logs);
// The log-probabilities of its decision k, from the rules' state. (T, N).
void decoder_forward(struct cmd *c, const struct decoder *decoder, uint32_t k);
struct tensor decoder_logp(const struct decoder *decoder, uint32_t k);

// Gradients on the way back, shared by all that run one after the other. Not for share = 0.
struct decoder_grad {
    uint32_t steps;      // most decisions at once
    struct tensor dlogp; // (steps T, N): where it starts from; without `queries`
    struct tensor q;     // (steps T, D), with `queries`
    struct tensor dq;    // (steps T, D)
    struct tensor dwdyn; // (slots, 3D): problems with split deliveries
    struct tensor part;  // (slots, D), with `queries`
    struct tensor dctx;  // (T, C), without
    struct tensor scratch;
};
void decoder_grad_layout(struct decoder_grad *grad, struct arena *arena, const struct decoder *widest);
// Both add to the cache's dkvl and dfixed, and to dh or those of the queries. From the log-probabilities' gradient and
// the activations that stayed; `instances` and `samples`: t = (m instances + b) samples + s.
void decoder_backward(struct cmd *c, const struct decoder *decoder, const struct decoder_grad *grad,
    const struct cache_grad *cache, const struct model_grad *d, uint32_t instances, uint32_t samples);
// From the trace alone, with `queries`: decisions from..to and what is known of their log-probabilities' gradient.
struct decoder_lesson {
    uint32_t from, to;
    struct likelihood likelihood;
};
void decoder_learn(struct cmd *c, const struct decoder *decoder, const struct decoder_grad *grad,
    const struct decoder_lesson *lesson, const struct cache_grad *cache, const struct queries *queries,
    const struct model_grad *d);

#endif
