// Part of shaders/args.h: a decision: context, query, pointer, choice, and the divergence between decoders.

// The decoder's context: shaders/nn/context.comp.
struct context_args {
    ptr ctx;         // (T, C)
    ptr h;           // (rows, D)
    ptr placeholder; // (2D), without a depot
    ptr state;       // (T, RULES_STATE)
    ptr scalar;      // (T), with a depot
    ptr instance;    // (T) uint
    ptr relevant;    // (slots, W) uint: the nodes of a slot's rows; none: rows are dense, instance * N + node
    ptr first;       // (slots) uint
    ptr slot;        // (T) uint; none: slot t
    uint T, N, D, C, depot;
};
ARGS(context, T);

// Its gradient, of decisions j T + t of trajectories t = (m B + b) S + s that share the rows of instance b; or, with
// `relevant`, of `decisions` for each slot, in blocks of B slots: shaders/nn/context_back.comp.
struct context_back_args {
    ptr dh;          // (rows, D)
    ptr dfixed;      // (slots, D)
    ptr placeholder; // (2D): its gradient; context_start
    ptr ctx, dq;     // (T, C), its gradient; (T, D)
    ptr state;       // (T, RULES_STATE)
    ptr relevant, first;
    ptr rows; // (slots) uint: a slot without rows has no decisions
    uint T, N, D, C, depot;
    uint M, B, S, decisions;
};
ARGS(context_back, T);

// Queries from the nodes' contributions: shaders/nn/query.comp. The backward kernel has gradients instead of q, first,
// current, fixed and extra.
struct query_args {
    ptr q;       // (decisions T, D)
    ptr first;   // (S N, D), without a depot
    ptr current; // (S N, D)
    ptr fixed_;  // (S, D)
    ptr extra;   // (groups, stride); backward: (S, D), one row per slot
    ptr state;   // (decisions T, RULES_STATE)
    ptr scalar;  // (decisions T), with a depot
    uint T, N, S, repeat, decisions;
    uint per_group, stride; // slots per group; floats from one group's extra row to the next
};
ARGS(query, T);
#define QUERY_DEPOT     7 // 1: with a depot
#define QUERY_DECISIONS 8 // decisions of a worker, at most its lanes

// The log-probability of a node that cannot be chosen; any value below half of it counts as masked.
#define MASKED -1e30f
// For nodes that can be chosen but whose log-probability is NaN: shaders/lib/logp.glsl.
#define UNKNOWN -1e20f

// How an action is chosen.
#define CHOOSE_GREEDY 0
#define CHOOSE_SAMPLE 1
#define CHOOSE_GIVEN  2
#define CHOOSE_TAUGHT 3
#define CHOOSE_FOLLOW 4 // DECIDE_MODE only: as CHOOSE_GIVEN, by the rules alone
// With CHOOSE_TAUGHT, instead of a given node: how the trajectory chooses.
#define TAUGHT_GREEDY 0xfffffffeu
#define TAUGHT_SAMPLE 0xffffffffu

// Chooses action[t]: the most probable node (the lowest of equals), one drawn from exp(logp), or given[t]; taught: as
// given[t] says. chosen[t] = logp[t, action[t]], added to total[t]. The draw is that of util/rng.h at (seed;
// RNG_SAMPLE, instance[t], decoder[t], step). If everything is masked the action is 0.
struct choose_args {
    ptr action, chosen, total;           // (T) uint; (T); (T) or none
    ptr logp;                            // (T, N)
    ptr given, instance, decoder, step_; // (T) uint; step: one uint
    word64 seed;
    uint T, N;
};
ARGS(choose, seed);
#define CHOOSE_MODE 2 // CHOOSE_GREEDY ...

// The K most probable actions of every hypothesis of a beam (args/search.h), best first; a finished one stays at node
// 0.
struct offer_args {
    ptr offer; // (T, K): score of the hypothesis + log-probability of the action
    ptr node;  // (T, K) uint
    ptr logp;  // (T, N)
    ptr score; // (T)
    ptr state; // (T, RULES_STATE)
    uint T, N, K;
};
ARGS(offer, T);

// dlogp[t, n] = coefficient[t % coefficients] where n is action[t], else 0.
struct choose_back_args {
    ptr dlogp, coefficient, action;
    uint T, N, coefficients;
};
ARGS(choose_back, T);

// kl[b] = 1 / (M (M - 1)) sum_{i != j} sum_n P_i (log P_i - log P_j) = 1 / (M - 1) sum_n sum_i P_i (log P_i - mean_j
// log P_j) with P_i = exp(logp[i, b, n]); 0 for one decoder. Skips nodes that are masked for a decoder.
struct kl_args {
    ptr kl;   // (B)
    ptr logp; // (M, B, N)
    uint M, B, N;
};
ARGS(kl, M);

// dlogp_i += dkl / (M - 1) (P_i (log P_i - mean_j log P_j + 1) - mean_j P_j); treats log-probabilities as independent.
struct kl_back_args {
    ptr dlogp, dkl, logp;
    uint M, B, N;
};
ARGS(kl_back, M);

// The decoder's choice for T trajectories with one query each. For the live cache rows r of the trajectory (rows of its
// slot whose node is allowed), K|V|L_r = kvl_r + dyn[t, node] wdyn:
//     a_h = softmax_r(q_h . K_rh / sqrt(D / H)),  g_h = sum_r a_rh V_rh,
//     logp[t, node_r] = log softmax_r(sharp tanh(g . L_r / sqrt(D)))
// saved has g (D), the logarithm of each head's softmax sum (H), that of the last softmax, and, as unsigned integers,
// the number of live rows, the rows in order (N), and zeros.
struct pointer_args {
    ptr logp, saved;                                   // (T, N), (T, POINTER_SAVED)
    ptr q, kvl, slot, node, allowed, dyn, first, wdyn; // struct pointer of nn/nn.h
    uint T, N, S, max_rows, repeat;
    uint per_group, groups; // trajectory t has row t / per_group % groups of wdyn
    float sharp;            // clip / temperature
};
ARGS(pointer, T);
#define POINTER_D              2 // channels
#define POINTER_H              3 // heads
#define POINTER_DYN            4 // rows have dynamic features
#define POINTER_SHARE_TS       5 // pointer_share.comp, pointer_back_share.comp: trajectories per worker
#define POINTER_PARTS          6 // pointer.comp, pointer_back.comp: POINTER_D and POINTER_H are of one part
#define POINTER_SAVED(D, H, N) (((D) + (H) + 2 + (N) + 1) / 2 * 2)

// The form for GPUs: shaders/nn/pointer_choose.comp. Lists the live rows itself, saves values only for a gradient, and
// does what choose_args or offer_args describe.
struct pointer_choose_args {
    ptr logp, saved;
    ptr action, chosen, total; // as in choose_args
    ptr offer, offered;        // as `offer` and `node` in offer_args
    ptr q, kvl, slot, node, allowed, dyn, first, rows, wdyn;
    ptr given, number, stream, step_; // as in choose_args: `instance` and `decoder`
    ptr score, state;                 // as in offer_args
    word64 seed;
    uint T, N, S, max_rows, repeat, per_group, groups, K;
    uint saves; // 1: for a gradient
    float sharp;
};
ARGS_FAR(pointer_choose, seed);
#define POINTER_THEN                           5 // CHOOSE_..., or
#define POINTER_ONLY                           4 // nothing: log-probabilities only
#define POINTER_OFFER                          5
#define POINTER_NODES                          6 // nodes that there is shared memory for, of each worker
#define POINTER_SHARED_BYTES(nodes, subgroups) (8 * (nodes) * (subgroups))

// Its gradient: dq is assigned; dkvl and dwdyn (a row per slot) are added to. A slot has `decisions` trajectories.
struct pointer_back_args {
    ptr dq, dkvl, dwdyn; // (T, D), (R, 3D), (S, 3D) or none
    ptr dlogp, logp, saved, q, kvl, node, dyn, first, wdyn;
    uint S, N, max_rows, repeat, decisions, per_group, groups;
    float sharp;
};
ARGS(pointer_back, S);

// The form for CPUs and POINTER_SHARE_TS decisions of a slot, each of one trajectory: decision k of slot s is row
// (s / block TS + k) block + s % block.
struct pointer_back_share_args {
    ptr dq, dkvl;
    ptr dlogp, logp, saved, q, kvl, node, first, rows;
    uint S, N, max_rows, block;
    float sharp;
};
ARGS(pointer_back_share, S);

// Lists the live rows in `saved`; logp = MASKED. The first of `group` trajectories lists the rows that any of them
// allows.
struct pointer_live_args {
    ptr logp, saved, slot, node, allowed, first, rows;
    uint T, N, S, max_rows, repeat;
    uint stride, list; // floats of `saved` per trajectory, and before its list
    uint group;
};
ARGS(pointer_live, T);

// The form for CPUs if many trajectories share a slot: lib/cpu/pointer_many.glsl. A slot has `decisions` trajectories;
// the list in `saved` is not written. Slot s has row s / per_group of wdyn.
struct pointer_many_args {
    ptr logp, saved; // (T, N), (T, POINTER_SAVED)
    ptr q, kvl, node, allowed, dyn, first, rows, wdyn;
    uint N, S, repeat, decisions, per_group;
    float sharp;
};
ARGS(pointer_many, N);
#define POINTER_MANY_LANES 32 // max
#define POINTER_MANY_R     5  // vectors at a time
#define POINTER_MANY_G     6  // heads of each: together an even number of channels

// The gradient of the log-likelihood of given actions, for CPUs, in four kernels, each for all decisions of the S
// slots: lib/cpu/likelihood.glsl. Decision i of slot s is row (i / repeat S + s) repeat + i % repeat. Slot s has row
// s / per_group of wdyn.
struct likelihood_glimpse_args {
    ptr g, log_sum; // (T, D), (T, H): the base-2 logarithms of the softmaxes' sums
    ptr q, kvl, allowed, dyn, rows, wdyn;
    uint N, S, repeat, decisions, per_group;
};
ARGS(likelihood_glimpse, N);
#define LIKELIHOOD_R  5 // keys at a time
#define LIKELIHOOD_G  6 // heads per worker
#define LIKELIHOOD_MB 7 // vectors of decisions at a time

// du, the gradient of g . L / sqrt(D), from that of the log-probabilities: coefficient[t % coefficients] for action[t],
// and the first rows of `further` for every key.
struct likelihood_logits_args {
    ptr du; // per block of MB LANES decisions of a slot (MB, N, LANES)
    ptr g, action, coefficient, further, kvl, allowed, dyn, rows, wdyn;
    uint N, S, repeat, decisions, per_group, coefficients, first_rows;
    float sharp;
};
ARGS(likelihood_logits, N);

// dg is assigned; dkvl and dwdyn (a row per slot) are added to: here for the logit keys ...
struct likelihood_logits_back_args {
    ptr dg, dkvl, dwdyn; // (T, D), (R, 3D), (S, 3D) or none
    ptr du, g, kvl, allowed, dyn, rows, wdyn;
    uint N, S, repeat, decisions, per_group;
};
ARGS(likelihood_logits_back, N);

// ... and here for keys and values.
struct likelihood_glimpse_back_args {
    ptr dq, dkvl, dwdyn;
    ptr dg, g, log_sum, q, kvl, allowed, dyn, rows, wdyn;
    uint N, S, repeat, decisions, per_group;
};
ARGS(likelihood_glimpse_back, N);
