// Decisions of all trajectories with one cache of embeddings:
//     q = context Wstep + fixed,  log p = pointer(q, kvl)
#ifndef MODEL_DECODER_H
#define MODEL_DECODER_H

#include "env/turn.h"
#include "model/cache.h"
#include "model/queries.h"

// The state before J decisions of T trajectories: enough to recompute the rest. With
// glimpses, whose activations are saved, less is enough: the state, and dyn.
struct trace {
    struct tensor state;   // (J T, RULES_STATE): before the decision
    struct tensor scalar;  // (J T), problems with a depot
    struct tensor allowed; // (J T, W)
    struct tensor dyn;     // (J T, N), problems with split deliveries
};
void trace_layout(struct trace *trace, struct arena *arena, const struct rules *rules, uint32_t J, bool glimpses);
void trace_clear(struct cmd *c, const struct trace *trace);
void trace_save(struct cmd *c, const struct trace *trace, const struct rules *rules, uint32_t j); // of decision j

#define DECODER_CLIP 10 // of the logits (eq. 9)

struct decoder {
    const struct model *model;
    const struct rules *rules;
    const struct cache *cache;
    const struct queries *queries; // of the cache's rows; NULL: q is computed by products
    struct tensor slot;            // (T) uint: the slot of the cache that a trajectory reads; none: t
    uint32_t repeat;               // slot[t] = t / repeat; 0: any
    // The rows of a glimpse's slots; none: dense rows of an instance.
    struct tensor relevant; // (slots, W) uint: nodes with rows
    struct tensor first;    // (slots) uint
    struct tensor node;     // (rows) uint
    struct tensor rows;     // (slots) uint: rows of a slot
    uint32_t blocks;        // of T slots, with decisions of their own, equally many: the glimpses of a stack; 0: one
    float temperature;
    const struct trace *trace; // of all decisions; may be NULL
    uint32_t from, to;         // indices there of its decision 0, and of the one after the last

    uint32_t steps;      // decisions whose activations are saved consecutively, at least to - from; 1: each overwrites
                         // the previous one
    struct tensor ctx;   // (steps T, C), without `queries`
    struct tensor q;     // (steps T, D)
    struct tensor logp;  // (steps T, N), or of more steps
    struct tensor saved; // (steps T, ..): saved by nn_pointer
};

// Requires everything above `steps`. Saves the log-probabilities of `logs` steps.
void decoder_layout(struct decoder *decoder, struct arena *arena, uint32_t steps, uint32_t logs);
// Computes the log-probabilities (T, N) of its decision k from the rules' state, and decides.
void decoder_forward(struct cmd *c, const struct decoder *decoder, uint32_t k, const struct decision *decision);
// The same with the rules' step, in one kernel with the next decision's context unless this one is the last with its
// embeddings: where decoder_turns().
bool decoder_turns(const struct decoder *decoder);
void decoder_turn(struct cmd *c, const struct decoder *decoder, uint32_t k, const struct decision *decision, bool last);
struct tensor decoder_logp(const struct decoder *decoder, uint32_t k);

// Returns a view of decisions from .. to, of a stack; it has no blocks.
struct decoder decoder_part(const struct decoder *stack, uint32_t from, uint32_t to);

// Gradients, shared by all decoders, which run one after the other. Not for repeat = 0.
struct decoder_grad {
    uint32_t steps;      // max decisions at once
    struct tensor dlogp; // (steps T, N): the input, without `queries`
    struct tensor q;     // (steps T, D), with `queries`
    struct tensor dq;    // (steps T, D)
    struct tensor dwdyn; // (slots, 3D): problems with split deliveries
    struct tensor part;  // (slots, D), with `queries`
    struct tensor dctx;  // (steps T, C), without
    struct tensor scratch;
};
// Suits `some` decoder and all others that have at most `steps` steps and `slots` slots.
void decoder_grad_layout(
    struct decoder_grad *grad, struct arena *arena, const struct decoder *some, uint32_t steps, uint32_t slots);
// Both add to the cache's dkvl and dfixed, and to dh or the gradients of the queries. This one uses the gradient of the
// log-probabilities (to - from T, N) and saved activations; `instances` and `samples`: t = (m instances + b) samples +
// s.
void decoder_backward(struct cmd *c, const struct decoder *decoder, const struct decoder_grad *grad,
    const struct cache_grad *cache, const struct model_grad *d, uint32_t instances, uint32_t samples);
// Uses only the trace, with `queries`: decisions from..to and the gradient of their log-probabilities.
struct decoder_lesson {
    uint32_t from, to;
    struct likelihood likelihood;
};
void decoder_learn(struct cmd *c, const struct decoder *decoder, const struct decoder_grad *grad,
    const struct decoder_lesson *lesson, const struct cache_grad *cache, const struct queries *queries,
    const struct model_grad *d);

#endif
