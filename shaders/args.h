// The contract between C and GLSL, compiled by both: one argument struct for each kernel, named after it. Pointers come
// first (outputs, saved values, inputs, weights), then sizes. Scalar layout, at most ARGS_BYTES, in push constants.
#ifndef SHADERS_ARGS_H
#define SHADERS_ARGS_H

#ifdef GL_core_profile
#define ptr uvec2 // a place in device memory: shaders/lib/kernel.glsl
#define ARGS(stem)
#else
#include <assert.h>
#include <stdint.h>
typedef uint64_t ptr;
typedef uint32_t uint;
#define ARGS(stem) static_assert(sizeof(struct stem##_args) <= ARGS_BYTES, "arguments of " #stem)
#endif

#define ARGS_BYTES 128

// What random draws are for (util/rng.h): four for instances (src/problem/generate.h), then
#define DRAW_SHAPE 1
#define DRAW_DEPOT 2
#define DRAW_NODE  3
#define DRAW_REAL  4
#define RNG_SAMPLE   16 // choosing an action
#define RNG_WEIGHTS  17 // untrained weights
#define RNG_TRAINING 18 // seeds of a training's parts, and the size of each batch

#define DRAW_DEMAND_MAX 9 // demands are 1..9

// One step of Adam over all weights, given as one flat list, with gradients scaled to a global norm of at most max_norm:
//     g' = g min(1, max_norm / (|g| + 1e-6)),  m = beta1 m + (1 - beta1) g',  v = beta2 v + (1 - beta2) g'^2,
//     w -= rate m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps)
// The plan comes first: it counts the step t and leaves in the state what is the same for every weight. A step whose |g|
// is not finite changes no weight and no moment, and counts as skipped.
#define ADAM_STEP    0 // uint: t, steps done
#define ADAM_SKIPPED 1 // uint
#define ADAM_GO      2 // uint: 0 when the current step is skipped
#define ADAM_SCALE   3 // float: what clipping multiplies gradients with
#define ADAM_RATE    4 // float: rate / (1 - beta1^t)
#define ADAM_ROOT    5 // float: 1 / sqrt(1 - beta2^t)
#define ADAM_STATE   6 // words
#define ADAM_PAIRS   4 // pairs of weights in every lane
struct adam_args {
    ptr w, m, v; // (count)
    ptr state;   // (ADAM_STATE)
    ptr g;       // (count)
    uint count;
    float beta1, rest1, beta2, rest2, eps; // rest = 1 - beta
};
ARGS(adam);
struct adam_plan_args {
    ptr state;      // (ADAM_STATE)
    ptr norm;       // (2): see norm2_sum
    ptr rate;       // (1): the learning rate
    float max_norm; // 0: no clipping
    float log_beta1, log_beta2;
};
ARGS(adam_plan);

// Beam search: src/search/beam.h. Beam i has W hypotheses t = i W + w, and each of them K candidates t K + e for
// its next move; candidates of a beam are counted from the beam's first. BEAM_NONE is no node, or no parent; a score of
// less than half of MASKED is that of nobody.
#define BEAM_NONE 0xffffffffu

// The K likeliest moves of every hypothesis, best first; a finished one stays at node 0.
struct beam_offer_args {
    ptr offer;    // (T, K): score of the hypothesis + log-probability of the move
    ptr node;     // (T, K) uint
    ptr length_;  // (T, K): way travelled after the move
    ptr hash;     // (T) uint: of what is still to be done
    ptr logp;     // (T, N)
    ptr score;    // (T)
    ptr state;    // (T, RULES_STATE)
    ptr visited;  // (T, words) uint
    ptr remaining; // (T, N) uint, or none
    ptr instance; // (T) uint
    ptr nodes;    // (B, N, NODE_WORDS)
    uint T, N, K, depot;
    uint bits; // of a hash that count
};
ARGS(beam_offer);

// Of candidates at the same node with the same still to be done, one that is not shorter and has no less load dies, and
// the other inherits its score if that is higher.
struct beam_merge_args {
    ptr merged;    // (T, K): scores; MASKED for those who die
    ptr group;     // (T, K) uint: scratch, like the next
    ptr lead;      // (4, T, K) uint
    ptr table;     // (beams, size) uint
    ptr offer, node, length_, hash, score, state, visited, remaining;
    uint T, N, W, K, depot;
    uint size; // a power of two, at least 2 W K
};
ARGS(beam_merge);

// The W best candidates become the hypotheses, in the order of the candidates; of equals the first.
struct beam_select_args {
    ptr parent;   // (T) uint
    ptr action;   // (T) uint
    ptr score;    // (T)
    ptr parents;  // (J, T) uint: history
    ptr clock;    // (1) uint: steps taken
    ptr merged, node;
    uint T, W, K, J;
};
ARGS(beam_select);

// Hypothesis t takes over the state that its parent had.
struct beam_follow_args {
    ptr state, sets, remaining, share, slot; // (T, ..) as in rules_args; (T) uint
    ptr old_state, old_sets, old_remaining, old_share, old_slot;
    ptr parent;
    ptr clock; // (1) uint, counted on
    uint T, N;
};
ARGS(beam_follow);

// Hypotheses of a beam that keep the same nodes share one glimpse: that of any of them, for theirs would be the same.
struct beam_share_args {
    ptr slot;     // (T) uint: whose glimpse it is
    ptr keys;     // (T, words) uint: the nodes to keep, of those who have a glimpse of their own; else empty
    ptr everyone; // (T, words) uint or none: likewise, all nodes
    ptr table;    // (beams, size) uint: scratch
    ptr score, state;
    ptr wanted;   // (T, words) uint
    ptr instance; // (T) uint
    ptr limits;   // (2, B) uint
    uint T, N, W, size;
    uint bits; // of a hash that count
};
ARGS(beam_share);

// Sets of nodes as one list of rows: src/nn/nn.h, struct compact.
struct compact_args {
    ptr first, rows; // (T) uint
    ptr total;       // (G) uint
    ptr node;        // (T most) uint
    ptr source;      // (T most) uint
    ptr keys;        // (T, W) uint
    ptr instance;    // (T) uint
    uint T, N, G, most;
};
ARGS(compact);

// dx[source[r]] += dy[r], trajectories t = (m B + b) S + s.
struct compact_back_args {
    ptr dx;    // (B N, D)
    ptr dy;    // (rows, D)
    ptr first; // (T) uint
    ptr keys;  // (T, W) uint
    uint M, B, S, N, D;
};
ARGS(compact_back);

// The decoder's context: shaders/nn/context.comp.
struct context_args {
    ptr ctx;         // (T, C)
    ptr h;           // (rows, D)
    ptr placeholder; // (2D), without a depot
    ptr state;       // (T, RULES_STATE)
    ptr scalar;      // (T), with a depot
    ptr instance;    // (T) uint
    ptr kept;        // (slots, W) uint: the nodes of a slot's rows; none: rows are dense, instance * N + node
    ptr first;       // (slots) uint
    ptr slot;        // (T) uint; none: slot t
    uint T, N, D, C, depot;
    uint M, B, S; // backward: t = (m B + b) S + s
};
ARGS(context);

// Queries from what nodes add to them: shaders/nn/query.comp. Backward has the gradients in place of q, first, current,
// fixed and extra.
struct query_args {
    ptr q;       // (turns T, D)
    ptr first;   // (S N, D), without a depot
    ptr current; // (S N, D)
    ptr fixed_;  // (S, D)
    ptr extra;   // (groups, apart); backward: (S, D), each slot's part of it
    ptr state;   // (turns T, RULES_STATE)
    ptr scalar;  // (turns T), with a depot
    uint T, N, S, share, turns, depot;
    uint each, apart; // slots in a group, floats from one group's extra row to the next
};
ARGS(query);

// The log-probability of what cannot be chosen; any value below half of it says so.
#define MASKED -1e30f
// Of what can be chosen, but whose log-probability is not a number: shaders/lib/logp.glsl.
#define UNKNOWN -1e20f

// How an action is chosen.
#define CHOOSE_GREEDY 0
#define CHOOSE_SAMPLE 1
#define CHOOSE_GIVEN  2

// Trajectory t takes action[t]: the likeliest node (the lowest of equals), one drawn from exp(logp), or given[t].
// chosen[t] = logp[t, action[t]], added to total[t]. The draw is that of util/rng.h at (seed; RNG_SAMPLE, instance[t],
// decoder[t], step). Where everything is masked the action is 0.
struct choose_args {
    ptr action, chosen, total;           // (T) uint; (T); (T) or none
    ptr logp;                            // (T, N)
    ptr given, instance, decoder, step_; // (T) uint; step: one uint
    ptr seed;
    uint T, N;
};
ARGS(choose);

// dlogp[t, n] = coefficient[t % each] where n is action[t], else 0.
struct choose_back_args {
    ptr dlogp, coefficient, action;
    uint T, N, each;
};
ARGS(choose_back);

// to[g, c] += sum_r from[g, r, c], row after row.
struct collect_args {
    ptr to, from; // (G, apart), (G, R, C)
    uint G, R, C, apart;
};
ARGS(collect);

// Multi-head self-attention within segments (struct segments of src/nn/nn.h); head h has channels h*DK .. of Q, K and V:
// logits[s,h,i,j] = q_i . k_j / sqrt(DK), mix_i = concat_h sum_j softmax_j(logits[s,h,i,:]) v_j
struct attention_args {
    ptr mix;    // (R,D)
    ptr logits; // (S,H,N,N)
    ptr qkv;    // (R,3D)
    ptr first, rows;
    uint S, H, N;
};
ARGS(attention);

// Its gradient, with p = softmax(logits): dv_j = sum_i p_ij dmix_i + dv_j', g_ij = p_ij (dmix_i . v_j - sum_k p_ik dmix_i
// . v_k) + dlogits_ij, dq_i = sum_j g_ij k_j / sqrt(DK), dk_j = sum_i g_ij q_i / sqrt(DK)
struct attention_back_args {
    ptr dqkv;        // (R,3D)
    ptr dmix;        // (R,D)
    ptr dlogits, dv; // (S,H,N,N) and (R,D), or none
    ptr logits, qkv;
    ptr first, rows;
    uint S, H, N;
};
ARGS(attention_back);

// to[i] = from[i], or += : the yardstick of bandwidth-bound kernels.
struct copy_args {
    ptr to, from;
    uint count; // floats
};
ARGS(copy);

// Random instances: the twin of src/problem/generate.c. `columns` and `prize` as in src/problem/problem.h.
struct draw_args {
    ptr nodes;  // (B, N, NODE_WORDS)
    ptr limits; // (2, B)
    ptr start;  // one uint: number of the first instance
    ptr table;  // (n_max - n_min + 1, DRAW_TABLE): capacity, length limit, largest penalty, largest prize
    ptr seed;   // not a place: the seed itself
    uint B, N, n_min, n_max, capacity_min, capacity_max, prize, columns, depot;
};
ARGS(draw);
#define DRAW_TABLE          4
#define DRAW_HAS_DEMAND     1
#define DRAW_HAS_PRIZE      2
#define DRAW_HAS_REAL_PRIZE 4
#define DRAW_HAS_PENALTY    8
#define DRAW_HAS_MAX_LENGTH 16
#define DRAW_PRIZE_CONST    0
#define DRAW_PRIZE_DIST     2

// What the network is told of the nodes: shaders/problem/features.comp.
struct features_args {
    ptr f;      // (B N, FEATURES)
    ptr nodes;  // (B, N, NODE_WORDS)
    ptr limits; // (2, B)
    uint B, N, depot;
    uint third, fourth; // words of a node, 0: none
};
ARGS(features);
#define FEATURES          8
#define FEATURES_CUSTOMER 3 // where a customer's begin
#define FEATURES_BIAS     7 // and the last of them
#define CONTEXT_SCALARS   8 // columns of a depot problem's context behind the current node: one scalar, the rest 0

// |x| = sqrt(sum x[i]^2) in two stages: NORM2_PARTS sums over stretches of x, then the sum of those.
// Squares are single precision: a norm beyond 1e19 is not finite, one below 1e-19 is 0.
#define NORM2_PARTS 1024
struct norm2_args {
    ptr part; // (NORM2_PARTS)
    ptr x;    // (count)
    uint count;
};
ARGS(norm2);
struct norm2_sum_args {
    ptr norm; // (2): float |x|; uint 1 when that is finite, else 0
    ptr part; // (NORM2_PARTS)
};
ARGS(norm2_sum);

// The output projection folded into the logit keys: shaders/nn/fold.comp. Backward has dy in place of y.
struct fold_args {
    ptr y;        // (G, R, 3D)
    ptr dw, dout; // backward only
    ptr w;        // (G, R, 3D), or (R, 3D) for all groups
    ptr out_;     // (G, D, D)
    uint G, R, D, shared_w;
};
ARGS(fold);
#define FOLD_ROWS 8 // rows of a product that a worker takes at a time

// The matrix product C = A B for groups of rows with weights of their own, plus what y = act(x W + b + r) asks for:
// shaders/lib/linear.glsl. Steps are floats from one group, or slab, to the next.
struct linear_args {
    ptr c, a, b;
    ptr mask;     // y, where it went through a ReLU and A or B is its gradient
    ptr bias;     // (groups, N), or (N) for all, or none
    ptr residual; // (any rows, N) or none
    ptr source;   // (groups M) uint: the row of the residual that belongs to a row, or none: the same
    ptr rows;     // (groups or sum) uint: rows in use, or none: all
    uint M, N, K;
    uint groups;                         // that give results of their own
    uint sum;                            // that add to each of them
    uint a_step, b_step, c_step, slab_step, bias_step;
    uint block;  // rows of C that a worker goes through
    uint depth;  // K of one slab
    uint stride; // from one worker's part to the next one's, prime to their number
    uint relu, add;
    uint zero; // is 0, which the compiler cannot know
};
ARGS(linear);
#define LINEAR_A_TURNED 1 // stored (K, M)
#define LINEAR_B_TURNED 2 // stored (N, K)
#define LINEAR_A_MASKED 4
#define LINEAR_B_MASKED 8
#define LINEAR_GUARD    16

// dW += sum of its slabs, db += sum of those of db; a slab is dW and then db.
struct linear_reduce_args {
    ptr dw;   // (groups, weights), or (weights) that all groups add to
    ptr db;   // (groups, biases) likewise, or none
    ptr slab; // (groups, slabs, weights + biases)
    ptr rows; // (groups) uint or none: rows in use, of R
    uint groups, slabs, weights, biases, R;
    uint results; // groups, or 1
    uint apart;   // floats from one result to the next
    uint depth;   // rows in a slab
};
ARGS(linear_reduce);
// y[i] = x[index[i]], rows of D floats; index GATHER_NONE gives zeros.
#define GATHER_NONE 0xffffffffu
#define GATHER_ROWS 8 // that a worker copies
struct gather_args {
    ptr y;     // (count, D)
    ptr x;     // (R, D)
    ptr index; // (count) uint
    uint count;
};
ARGS(gather);

// dx[index[i]] += dy[i]. Equal entries of index lie within the same run of `run` entries.
struct gather_back_args {
    ptr dx, dy, index;
    uint count, run;
};
ARGS(gather_back);

// mean[s] = sum of x over the rows of segment s / their number, (S, D); 0 for no rows.
struct mean_args {
    ptr mean, x, first, rows;
    uint S, N;
};
ARGS(mean);

// dx[r] += dmean[s] / rows of s
struct mean_back_args {
    ptr dx, dmean, first, rows;
    uint S, N;
};
ARGS(mean_back);

// Normalisation: z = x + residual, hat = (z - mean) / sqrt(variance + NORM_EPSILON), y = gain hat + bias, with mean and
// variance over the rows of a segment, over the segments of a group, or given: stats (entries, 2, D).
#define NORM_EPSILON 1e-5f
#define NORM_OWN     0 // statistics of each segment, written
#define NORM_ENTRY   1 // statistics given: entry index[s], without index s / per
#define NORM_MOMENTS 2 // only the statistics of each segment
struct norm_args {
    ptr y, hat, stats, x, residual, gain, bias, first, rows, index;
    uint S, N, per;
};
ARGS(norm);

// The groups' statistics (G, 2, D) from those of their segments `part` (S, 2, D); a group is S / G segments.
struct norm_group_args {
    ptr stats, part, rows;
    uint S, N, per;
};
ARGS(norm_group);

// dz = k1 dy + k2 + k3 hat. With A = sum dy, B = sum dy hat over the n rows that share statistics and k1 = gain inv:
// k2 = (dmean - k1 A) / n, k3 = (2 dvariance / inv - k1 B) / n; 0 where statistics are given.
#define NORM_BACK_OWN   0 // sums of each segment
#define NORM_BACK_ENTRY 1 // statistics given; with `own` writes each segment's dstats
#define NORM_BACK_SUMS  2 // only the sums
#define NORM_BACK_COEF  3 // k1, k2, k3 from coef
struct norm_back_args {
    ptr dz;    // (R, D)
    ptr parts; // (blocks, 2, D): A and B over the segments of a block
    ptr own;   // (S, 2, D) or none
    ptr dy, hat, stats;
    ptr dstats; // gradient of the statistics that were written, or none
    ptr coef;   // (entries, 3, D)
    ptr gain, first, rows, index;
    uint S, N;
    uint per;    // segments of a group
    uint block;  // segments of a block, which lies within a group
    uint blocks; // of a group
};
ARGS(norm_back);

// dgain += sum B, dbias += sum A over all parts (G, blocks, 2, D); coef (G, 3, D), or none, from the sums of each group.
struct norm_fold_args {
    ptr dgain, dbias, coef, parts, stats, dstats, gain, rows;
    uint G, blocks, N, per;
};
ARGS(norm_fold);

// The same over the channels of each row: stats (R, 2). A task is NORM_LAYER_ROWS rows of a segment.
#define NORM_LAYER_ROWS 16
struct norm_layer_args {
    ptr y, hat, stats, x, residual, gain, bias, first, rows;
    uint S, N;
};
ARGS(norm_layer);

struct norm_layer_back_args {
    ptr dz;
    ptr parts; // (blocks, 2, D)
    ptr dy, hat, stats, gain, first, rows;
    uint S, N;
    uint block; // tasks of a block
};
ARGS(norm_layer_back);

// tracked (2, D) = (1 - momentum) tracked + momentum (mean, unbiased variance) of group `group`
struct norm_track_args {
    ptr tracked, stats, rows;
    uint N, per, group;
    float momentum;
};
ARGS(norm_track);

// kl[b] = 1 / (M (M - 1)) sum_{i != j} sum_n P_i (log P_i - log P_j) = 1 / (M - 1) sum_n sum_i P_i (log P_i - mean_j
// log P_j) with P_i = exp(logp[i, b, n]); 0 for one decoder. Nodes masked for a decoder are left out.
struct kl_args {
    ptr kl;   // (B)
    ptr logp; // (M, B, N)
    uint M, B, N;
};
ARGS(kl);

// dlogp_i += dkl / (M - 1) (P_i (log P_i - mean_j log P_j + 1) - mean_j P_j); the log-probabilities are taken as free.
struct kl_back_args {
    ptr dlogp, dkl, logp;
    uint M, B, N;
};
ARGS(kl_back);

// The decoder's choice for T trajectories with one query each. For the live cache rows r of the trajectory (rows of its
// slot whose node is allowed), K|V|L_r = kvl_r + dyn[t, node] wdyn:
//     a_h = softmax_r(q_h . K_rh / sqrt(D / H)),  g_h = sum_r a_rh V_rh,
//     logp[t, node_r] = log softmax_r(sharp tanh(g . L_r / sqrt(D)))
// saved holds g (D), the logarithm of each head's softmax sum (H), that of the last softmax, and, as unsigned integers,
// the number of live rows, the rows in their order (N), and zeros.
struct pointer_args {
    ptr logp, saved;                          // (T, N), (T, POINTER_SAVED)
    ptr q, kvl, slot, node, dyn, first, wdyn; // struct pointer of nn/nn.h
    uint T, N, S, most, share;
    uint each, groups; // trajectory t has row t / each % groups of wdyn
    float sharp;       // clip / temperature
};
ARGS(pointer);
#define POINTER_SAVED(D, H, N) (((D) + (H) + 2 + (N) + 1) / 2 * 2)

// Its gradient: dq assigned; dkvl and dwdyn (a row for each slot) added to. A slot serves `turns` trajectories.
struct pointer_back_args {
    ptr dq, dkvl, dwdyn; // (T, D), (R, 3D), (S, 3D) or none
    ptr dlogp, logp, saved, q, kvl, node, dyn, first, wdyn;
    uint S, N, most, share, turns, each, groups;
    float sharp;
};
ARGS(pointer_back);

// Lists the live rows in `saved`; logp = MASKED.
struct pointer_live_args {
    ptr logp, saved, slot, node, allowed, first, rows;
    uint T, N, S, most, share;
    uint stride, list; // floats of `saved` for a trajectory, before its list
};
ARGS(pointer_live);

// The form for CPUs where many trajectories share a slot: lib/pointer_many.glsl. A slot serves `turns` trajectories; of
// `saved` the list is not written. Slot s has row s / each of wdyn.
struct pointer_many_args {
    ptr logp, saved; // (T, N), (T, POINTER_SAVED)
    ptr q, kvl, node, allowed, dyn, first, rows, wdyn;
    uint N, S, share, turns, each;
    float sharp;
};
ARGS(pointer_many);

// Its gradient in two parts for the slots from `begin` up to `end`: dq and what the second part needs ...
struct pointer_many_back_args {
    ptr dq, scratch; // (T, D), lib/pointer_scratch.glsl
    ptr dlogp, logp, saved, q, kvl, node, dyn, first, rows, wdyn;
    uint N, S, share, turns, each, begin, end;
    float sharp;
};
ARGS(pointer_many_back);

// ... and dkvl and dwdyn, which are added to.
struct pointer_many_rows_args {
    ptr dkvl, dwdyn; // (R, 3D), (S, 3D) or none
    ptr scratch, saved, q, first, rows;
    uint N, S, share, turns, begin, end;
};
ARGS(pointer_many_rows);

// Attention again from stored logits and values, with some keys only; segments are trajectories t of rows r whose query is
// node[r] of instance b: mix_r = concat_h sum_k softmax_k(logits[b,h,node[r],kept]) v[b,k]; 0 without a kept key.
struct reattend_args {
    ptr mix;      // (R,D)
    ptr logits;   // (B,H,N,N)
    ptr qkv;      // (B*N,3D), of which only V is read
    ptr keys;     // (S,W) bit sets: kept keys
    ptr instance; // (S) uint
    ptr node;     // (R) uint, or none: the row's number within its segment
    ptr first, rows;
    uint S, B, H, N, W, most; // segments, instances, heads, nodes, words of a bit set, most rows of a segment
};
ARGS(reattend);

// Adds its gradient; instance b has the trajectories t = (m*B + b)*S + s. With p the weights:
// dlogits[b,h,node[r],k] += p_rk (dmix_r . v_k - sum_j p_rj dmix_r . v_j), dv_k += sum_r p_rk dmix_r
struct reattend_back_args {
    ptr dlogits; // (B,H,N,N)
    ptr dv;      // (B*N,D)
    ptr dmix;    // (R,D)
    ptr logits, qkv, keys, node, first, rows;
    uint H, M, B, S, N, W, most;
};
ARGS(reattend_back);

// The four words of util/rng.h at steps 0, 1, 2, ...
struct rng_args {
    ptr to; // (count, 4) uint
    ptr seed;
    uint purpose, instance, decoder, count;
};
ARGS(rng);

// One step of every trajectory under a problem's rules (shaders/problem). W = ceil(N / 32) words in a set of nodes.
struct rules_args {
    ptr state;      // (T, RULES_STATE)
    ptr sets;       // (RULES_SETS, T, W) sets of nodes
    ptr remaining;  // (T, N) uint: undelivered demand; SDVRP only
    ptr share;      // (T, N): remaining / capacity; SDVRP only
    ptr scalar;     // (T): what the decoder's context says of the state
    ptr cost;       // (T): written when a trajectory is finished
    ptr unfinished; // one uint: raised to steps + 1 by every trajectory that goes on after that many steps
    ptr history;    // (J, T) uint: the actions of every step
    ptr action;     // (T) uint
    ptr instance;   // (T) uint
    ptr nodes;      // (B, N, NODE_WORDS)
    ptr limits;     // (2, B) uint: nodes; the capacity or the bits of the length limit or least prize
    uint T, N, B, J;
};
ARGS(rules);
#define SET_VISITED   0 // customers
#define SET_ALLOWED   1 // where the next decision may go
#define SET_KEYS      2 // what the glimpse keeps
#define SET_OPENING   3 // SET_ALLOWED before the first step; reference dialect only
#define RULES_SETS    4
#define RULES_BEGIN   0
#define RULES_STEP    1
#define RULES_STATE   10
#define RULES_CURRENT 0 // words of the state that the host reads
#define RULES_FIRST   1
#define RULES_STEPS   2
#define RULES_DONE    3
#define RULES_LOAD    4 // uint
#define RULES_LENGTH  6 // float, and in the next word what its sum has lost
#define LENGTH_MARGIN 1e-6 // OP: what a planned tour stays below its limit

// A node of an instance: x, y, then
#define NODE_WORDS   8
#define NODE_DEMAND  2 // uint
#define NODE_SHARE   3 // demand / capacity
#define NODE_PRIZE   4 // expected
#define NODE_REAL    5
#define NODE_PENALTY 6

#endif
