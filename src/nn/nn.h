// The network's operations. Each appends to `c`; the argument order is always outputs, saved values, inputs, weights.
// Weight gradients add, activation gradients assign; the exceptions have "add" in their names.
#ifndef NN_NN_H
#define NN_NN_H

#include "nn/tensor.h"

struct cmd;

// Rows of a flat list, owned by segments: an instance in the encoder, a trajectory in the glimpse. Segment s owns rows
// first[s] .. first[s] + rows[s] - 1. Without `first` the list is dense: first[s] = s * N. Without `rows` every segment
// has N rows. Rows of no segment are neither read nor written.
struct segments {
    uint32_t S;           // segments
    uint32_t N;           // max rows of a segment
    uint64_t first, rows; // addresses of S uint each, or 0
};

// One step of Adam over flat lists: weights w, moments m and v, gradients g, all (count). Gradients are first clipped
// to the norm max_norm. A step with a norm that is not finite changes nothing and is counted. Values that change
// between runs of one recording are read on the device: the norm (nn_norm2), the learning rate (1), and the state
// (ADAM_STATE, in shaders/args.h: steps done, steps skipped, ...), which starts as zeros.
struct adam_settings {
    double beta1, beta2, eps;
    double max_norm; // 0: no clipping
};
void nn_adam(struct cmd *c, struct tensor w, struct tensor m, struct tensor v, struct tensor state, struct tensor g,
    struct tensor norm, struct tensor rate, const struct adam_settings *settings);

// The relevant nodes of trajectories as one flat list of rows: a segment per trajectory, closely packed within each of
// G groups of trajectories (decoders). Group g starts at row g * room. Several sets of T trajectories may share a list:
// the rows of each set follow those of the set before, within each group.
struct compact {
    struct tensor first, rows; // (sets T) uint: the segments
    struct tensor span;        // (sets G, 2) uint: first row of a set in a group, counted from the group's, and rows
    struct tensor whole;       // (G, 2) uint: the same of all sets so far
    struct tensor keys;        // (sets T, W) uint: the sets of nodes, copied; none: not copied
    struct tensor node;        // (G room) uint: node of a row
    struct tensor source;      // (G room) uint: instance * N + node
};
void nn_compact_layout(struct compact *to, struct arena *arena, uint32_t T, uint32_t sets, uint32_t room, uint32_t G);
// Set i alone, of T trajectories.
struct compact nn_compact_set(const struct compact *all, uint32_t T, uint32_t i);
// keys (T, ceil(N / 32)) uint: sets of nodes; instance (T) uint. Begins the list, or appends to it. TO is one set.
void nn_compact(
    struct cmd *c, const struct compact *to, struct tensor keys, struct tensor instance, uint32_t N, bool appends);
// dx (B N, D): dx[source[r]] += dy[r], dy (G room, D); trajectories t = (m B + b) S + s, keys as above. A trajectory
// without rows is skipped, whatever its keys. M counts the groups of all sets.
void nn_compact_back_add(struct cmd *c, struct tensor dx, struct tensor dy, const struct compact *to,
    struct tensor keys, uint32_t M, uint32_t B, uint32_t S);

// The decoder's context (T, C) from rows of h (R, D): with a depot (h[current], scalar, 0 ..), C = D + CONTEXT_SCALARS;
// without one (h[first], h[current]) or, before the first decision, the placeholder, C = 2D. 0 for finished
// trajectories.
struct context {
    struct tensor state;       // (T, RULES_STATE)
    struct tensor scalar;      // (T), with a depot only
    struct tensor placeholder; // (2D), without a depot only
    struct tensor instance;    // (T) uint
    struct tensor relevant;    // (slots, W) uint: nodes with rows in a slot; none: row instance * N + node
    struct tensor first;       // (slots) uint: a slot's first row
    struct tensor slot;        // (T) uint; none: slot t
    uint32_t N;
};
void nn_context(struct cmd *c, struct tensor ctx, struct tensor h, const struct context *context);
// Adds to dh (R, D), dplaceholder (2D) and dfixed (slots, D), the gradient of something that is added to each query,
// whose gradient is dq (T, D), for several decisions of all trajectories. Trajectories t = (m B + b) S + s share the
// dense rows of instance b, and have slot m B + b. Or, with `relevant`, slots are in M blocks of B: each has its own
// `decisions`, of one trajectory per slot, where the last may be missing; a slot without `rows` (slots) has none.
struct context_back {
    struct tensor dh, dplaceholder, dfixed;
    struct tensor dctx, dq;
    struct tensor rows; // (slots) uint, with `relevant`
    uint32_t M, B, S, decisions;
};
void nn_context_back_add(struct cmd *c, const struct context_back *back, const struct context *context);

// The same product of context and weights for several decisions with the same rows: the contribution of each node is
// computed in advance. q[t] = fixed + first[first node] + current[current node], or fixed + extra before the first
// decision; with a depot fixed + current[current node] + scalar extra. Finished trajectories: fixed. Slots own N dense
// rows each.
struct query {
    struct tensor state;   // (decisions T, RULES_STATE); T = S repeat, trajectory t has slot t / repeat
    struct tensor scalar;  // (decisions T), with a depot only
    struct tensor first;   // (S N, D), without a depot only
    struct tensor current; // (S N, D)
    struct tensor fixed;   // (S, D)
    struct tensor extra;   // (G, D): of the slot's group
    uint32_t stride;       // floats from one row of `extra` to the next; 0: D
    uint32_t N, repeat;
};
void nn_query(struct cmd *c, struct tensor q, const struct query *query);
// Adds to all gradients; `d` has the layout of `query`. scratch (S, D).
void nn_query_back_add(
    struct cmd *c, const struct query *d, struct tensor scratch, struct tensor dq, const struct query *query);

enum choose_mode { GREEDY, SAMPLE, GIVEN, TAUGHT };

// How actions are chosen. A draw depends only on the seed, the ids and the step, not on the position in the batch.
struct choose {
    enum choose_mode mode;
    struct tensor given;             // GIVEN: (T) uint; TAUGHT: also TAUGHT_GREEDY, TAUGHT_SAMPLE
    struct tensor instance, decoder; // SAMPLE, TAUGHT: (T) uint, the ids
    uint64_t step;                   // SAMPLE, TAUGHT: address of one uint
    uint64_t seed;
};

// Chooses the action (T) uint of every trajectory; its log-probability is `chosen` (T), which is added to total (T) if
// given; logp (T, N). Greedy chooses the lowest index of equal values. It never chooses a masked node, unless all are
// masked: then action 0 with log-probability 0, for a trajectory without a next node.
void nn_choose(struct cmd *c, struct tensor action, struct tensor chosen, struct tensor total, struct tensor logp,
    const struct choose *how);
// Offers the most probable actions of every hypothesis of a beam, best first, with the hypothesis's score + their
// log-probability; BEAM_NONE and MASKED (shaders/args.h) where there are fewer. A finished hypothesis offers to stay at
// node 0, a dead one nothing.
struct offer {
    struct tensor offer, node;  // (T, K), (T, K) uint: the results
    struct tensor score, state; // (T), (T, RULES_STATE): of the hypotheses
};
void nn_offer(struct cmd *c, const struct offer *to, struct tensor logp);
// dlogp (T, N) = coefficient at the action (T), 0 elsewhere; fewer coefficients repeat (stacked steps).
void nn_choose_back(struct cmd *c, struct tensor dlogp, struct tensor coefficient, struct tensor action);

// to (G, C) += the sums over each group of rows of from (parts G R, C), and over the parts. Rows of `to` have a stride
// of `stride` floats; 0: C.
void nn_collect_add(struct cmd *c, struct tensor to, uint32_t stride, struct tensor from, uint32_t parts);

// Multi-head self-attention within each segment: qkv (R,3D) is Q | K | V, each head-major. Saves logits (S,H,N,N) =
// QK'/sqrt(D/H), undefined outside a segment's rows; mix (R,D) = softmax(logits) V. D/H >= 2.
void nn_attention(
    struct cmd *c, struct tensor mix, struct tensor logits, struct tensor qkv, struct segments seg, uint32_t H);
// dqkv (R,3D) from dmix and other gradients of logits and V: dlogits (S,H,N,N) and dv (R,D); address 0: none.
void nn_attention_back(struct cmd *c, struct tensor dqkv, struct tensor dmix, struct tensor dlogits, struct tensor dv,
    struct tensor logits, struct tensor qkv, struct segments seg, uint32_t H);

// to = from, to += from
void nn_copy(struct cmd *c, struct tensor to, struct tensor from);
void nn_add(struct cmd *c, struct tensor to, struct tensor from);

// y = act(x W + b + r), for each of G groups of R rows with their own weights.
struct linear {
    struct tensor y;        // (G R, out)
    struct tensor x;        // (G R, in), or (R, in) shared by all groups
    struct tensor w;        // (G, in, out); (in, out) if G is 1, or for all groups that `rows` counts
    uint32_t stride;        // rows from one group's weights, and their gradients, to the next; 0: in
    uint32_t repeat;        // G is that many times the weights' groups, which repeat; 0: once
    struct tensor bias;     // (G, out), or (out) with such a w; address 0: none
    struct tensor residual; // (any rows, out); address 0: none
    struct tensor source;   // (G R) uint: the residual's row of each row; address 0: row r
    struct tensor rows;     // (G, 2) uint: first row in use of each group, and their number; others are unchanged;
                            // address 0: all
    uint32_t max_rows;      // max rows in use of a group; 0: all
    bool relu;
};
void nn_linear(struct cmd *c, const struct linear *l);
// With dy' = dy, or dy where y > 0 for ReLU: dx = dy' W', or dx += with `add`; summed over groups that share x.
void nn_linear_dx(struct cmd *c, struct tensor dx, struct tensor dy, const struct linear *l, bool add);
// dW += x' dy', dbias += the column sums of dy' (dbias.address == 0: none).
void nn_linear_dw(struct cmd *c, struct tensor dw, struct tensor dbias, struct tensor scratch, struct tensor dy,
    const struct linear *l);
// Returns the min floats of `scratch`.
uint64_t nn_linear_dw_scratch(const struct gpu *gpu, uint32_t G, uint32_t R, uint32_t in, uint32_t out);

// norm (2) = |x| as a float, and a uint: 1 if it is finite, else 0. part (NORM2_PARTS) is scratch.
void nn_norm2(struct cmd *c, struct tensor norm, struct tensor part, struct tensor x);

// y (G, R, 3D) is w, (G, R, 3D) or (R, 3D) for all groups, with its last D columns l replaced by l out', out (G, D, D):
// the logit keys with the decoder's output projection folded in.
void nn_fold(struct cmd *c, struct tensor y, struct tensor w, struct tensor out);
void nn_fold_back(
    struct cmd *c, struct tensor dw, struct tensor dout, struct tensor dy, struct tensor w, struct tensor out);
// y[i] = x[index[i]]: y (I,D), x (R,D), index (I) uint; an index of 0xffffffff gives zeros.
void nn_gather(struct cmd *c, struct tensor y, struct tensor x, struct tensor index);
// dx[index[i]] += dy[i]. Equal entries of `index` must be within one run of `run` consecutive entries, counted from 0:
// run 1 means that all differ, which is fast; run I means nothing, and every entry is compared with all others.
void nn_gather_back_add(struct cmd *c, struct tensor dx, struct tensor dy, struct tensor index, uint32_t run);

// mean (S,D) of x (R,D) over the rows of each segment; 0 for a segment without rows.
void nn_mean(struct cmd *c, struct tensor mean, struct segments seg, struct tensor x);
void nn_mean_back_add(struct cmd *c, struct tensor dx, struct segments seg, struct tensor dmean);

// The rows that share a mean and a (biased) variance.
enum nn_norm_mode {
    NORM_INSTANCE, // rows of a segment, per channel                          stats (S,2,D)
    NORM_LAYER,    // one row, over its channels                              stats (R,2)
    NORM_BATCH,    // rows of a group of S/G consecutive segments             stats (G,2,D)
    NORM_GIVEN,    // none: segment s uses entry index[s] of given statistics stats (any,2,D)
};
struct norm {
    enum nn_norm_mode mode;
    struct segments seg;
    uint32_t G;            // NORM_BATCH: groups; S is a multiple of it
    struct tensor stats;   // mean, variance; written by nn_norm and read by nn_norm_back; NORM_GIVEN only reads them
    struct tensor index;   // NORM_GIVEN: (S) uint; none: entry 0 for all
    uint32_t run;          // with dstats: index[s] = s / run % entries; 0: any
    struct tensor scratch; // nn_norm_scratch() floats, which normalisations may share one after the other
};
uint64_t nn_norm_scratch(const struct norm *norm, uint32_t D);

// z = x + residual, hat = (z - mean) / sqrt(variance + 1e-5), y = gain hat + bias; y, hat, x, residual (..,D). Without
// residual (address 0) z = x; without hat nothing is saved for nn_norm_back.
void nn_norm(struct cmd *c, struct tensor y, struct tensor hat, const struct norm *norm, struct tensor x,
    struct tensor residual, struct tensor gain, struct tensor bias);
// dz is the gradient of x and of residual. dstats, if given, is the gradient of norm->stats: NORM_GIVEN, which then
// requires an index, adds to it; the NORM_INSTANCE or NORM_BATCH that computed those statistics adds its effect to dz.
void nn_norm_back(struct cmd *c, struct tensor dz, struct tensor dgain, struct tensor dbias, struct tensor dstats,
    struct tensor dy, struct tensor hat, const struct norm *norm, struct tensor gain);
// Tracks the statistics of one group of a NORM_BATCH: tracked (2,D) moves by `momentum` towards its mean and unbiased
// variance; a group without rows changes nothing.
void nn_norm_track(struct cmd *c, struct tensor tracked, const struct norm *norm, uint32_t group, float momentum);

// kl (B) = mean over ordered pairs of decoders of sum_n P_i (log P_i - log P_j), logp (M, B, N); 0 for one decoder.
void nn_kl(struct cmd *c, struct tensor kl, struct tensor logp);
// dlogp (M, B, N) += dkl (B) times the derivative; nn_pointer_back_add continues through the softmax.
void nn_kl_back_add(struct cmd *c, struct tensor dlogp, struct tensor dkl, struct tensor logp);

// The cache of projected node embeddings that decoders attend to, and the allowed nodes.
struct pointer {
    struct segments slots; // the cache rows of a slot
    struct tensor kvl;     // (R, 3D): glimpse key, glimpse value, logit key (the output projection folded in)
    struct tensor slot;    // (T) uint: slot that a trajectory reads; none: slot t / repeat % S
    struct tensor node;    // (R) uint: node of a row; none: its index in the slot
    struct tensor allowed; // (T, W) uint: bit n of W = ceil(N / 32) words is node n
    struct tensor dyn;     // (T, N): dynamic feature of the nodes, or none
    struct tensor wdyn;    // (3D): dyn * wdyn is added to a row; (G, 3D): for G equal parts of the trajectories
    uint32_t H, repeat;    // heads; consecutive trajectories that share a slot
    uint32_t block;        // nn_pointer_back_add: slots of a step; each block of slots has steps of its own; 0: all
    float clip, temperature;
    bool saves; // nn_pointer saves values for nn_pointer_back_add
};

// Log-probabilities (T, N) of the next node from queries q (T, D): glimpse, pointer, clipping, masked softmax. Nodes
// that are not allowed or have no row in the slot get MASKED (shaders/args.h). saved (T, nn_pointer_saved(D, H, N)).
void nn_pointer(struct cmd *c, struct tensor logp, struct tensor saved, struct tensor q, const struct pointer *pointer);
// nn_pointer, then nn_choose or nn_offer, in one kernel where one form does both.
struct decision {
    struct tensor action, chosen, total; // as in nn_choose
    struct choose how;
    const struct offer *offer; // NULL: choose
};
void nn_decide(struct cmd *c, const struct decision *decision, struct tensor logp, struct tensor saved, struct tensor q,
    const struct pointer *pointer);
// Whether nn_decide is one kernel, which problems' rules can be added to (src/env/turn.h).
bool nn_pointer_chooses(const struct gpu *gpu, uint32_t D, uint32_t N, const struct pointer *pointer);
// The trajectories of a step in equal parts, each with a row of the dynamic weights.
struct pointer_division {
    uint32_t each, groups;
};
struct pointer_division nn_pointer_division(uint32_t T, const struct pointer *pointer);
// dq (T, D) is assigned; dkvl (R, 3D) and dwdyn (S, 3D; a row per slot, for nn_collect_add) are added to. dlogp of
// masked nodes is not read. For trajectories without `slot`; the rows of two slots must not overlap. One call for all
// steps with the same cache, stacked (T = steps * S * repeat), reads the cache once instead of once per step.
void nn_pointer_back_add(struct cmd *c, struct tensor dq, struct tensor dkvl, struct tensor dwdyn, struct tensor dlogp,
    struct tensor logp, struct tensor saved, struct tensor q, const struct pointer *pointer);
uint32_t nn_pointer_saved(uint32_t D, uint32_t H, uint32_t N);

// Given decisions, of which only the queries are computed yet.
struct likelihood {
    struct tensor action;      // (T) uint
    struct tensor coefficient; // (T), or fewer that repeat (stacked steps)
    struct tensor further;     // (any rows, N): gradients of the first decisions' log-probabilities; may be none
    uint32_t N;                // nodes
};
// Adds the gradient of  sum_t coefficient[t] log p(action[t]) + sum further log p:  as nn_pointer and
// nn_pointer_back_add would, with `allowed` and `dyn` of all T decisions, with one attention over a slot's keys for all
// its decisions. Actions that are not allowed do not count. scratch: at least nn_likelihood_scratch() floats.
void nn_likelihood_back_add(struct cmd *c, struct tensor dq, struct tensor dkvl, struct tensor dwdyn,
    struct tensor scratch, struct tensor q, const struct likelihood *likelihood, const struct pointer *pointer);
uint64_t nn_likelihood_scratch(
    const struct gpu *gpu, uint32_t T, uint32_t D, uint32_t N, const struct pointer *pointer);

// Attention again from the saved logits (B,H,N,N) and the V of qkv (B*N,3D), over relevant keys only. Segments are
// trajectories: segment t belongs to instance[t] (uint) and has the keys in the bit set keys[t], keys (T,W) uint with W
// = ceil(N/32); row r is the query of node[r] (uint; address 0: its index in the segment). mix (R,D) is 0 without a
// key.
void nn_reattend(struct cmd *c, struct tensor mix, struct tensor logits, struct tensor qkv, struct tensor keys,
    struct tensor instance, struct tensor node, struct segments seg, uint32_t H);
// Adds to dlogits (B,H,N,N) and dv (B*N,D). Instance b has the trajectories t = (m*B + b)*S + s, m < M, s < S.
void nn_reattend_back_add(struct cmd *c, struct tensor dlogits, struct tensor dv, struct tensor dmix,
    struct tensor logits, struct tensor qkv, struct tensor keys, struct tensor node, struct segments seg, uint32_t H,
    uint32_t M, uint32_t B, uint32_t S);

// Draws the numbers of util/rng.h at steps 0..count-1: to (count, 4) uint.
void nn_rng(struct cmd *c, struct tensor to, uint64_t seed, uint32_t purpose, uint32_t instance, uint32_t decoder);

#endif
