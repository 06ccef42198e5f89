// Part of shaders/args.h: instances, features, and the rules of the problems.

// Random instances, as in src/problem/generate.c. `prize` as in src/problem/problem.h.
struct draw_args {
    ptr nodes;  // (B, N, NODE_WORDS)
    ptr limits; // (LIMITS_ROWS, B)
    ptr start;  // one uint: index of the first instance
    ptr table;  // (n_max - n_min + 1, DRAW_TABLE): capacity, length limit, largest penalty, largest prize
    ptr around; // (DRAW_RADII + 2 DRAW_DIRECTIONS): distances from a cluster seed, then directions; uniform: none
    word64 seed;
    uint B, N, n_min, n_max, capacity_min, capacity_max, prize, columns, depot, layout_; // node_layout
    float length_min, length_range;                                                      // length_range below 0: by n
};
ARGS(draw, seed);
#define DRAW_TABLE          4
#define DRAW_HAS_DEMAND     1
#define DRAW_HAS_PRIZE      2
#define DRAW_HAS_REAL_PRIZE 4
#define DRAW_HAS_PENALTY    8
#define DRAW_HAS_MAX_LENGTH 16
#define DRAW_PRIZE_CONST    0
#define DRAW_PRIZE_DIST     2
#define DRAW_PRIZE_MIXED    3
#define DRAW_UNIFORM        0
#define DRAW_CLUSTERED      1
#define DRAW_MIXED          2

// The network's features of the nodes: shaders/env/features.comp.
struct features_args {
    ptr f;      // (B N, FEATURES)
    ptr nodes;  // (B, N, NODE_WORDS)
    ptr limits; // (LIMITS_ROWS, B)
    uint B, N, depot;
    uint third, fourth; // words of a node, 0: none
};
ARGS(features, B);
#define FEATURES          8
#define FEATURES_CUSTOMER 3 // index of a customer's first feature
#define FEATURES_BIAS     7 // index of the last one
#define FEATURES_OWN      2 // max columns that are features, in addition to the coordinates
#define CONTEXT_SCALARS   8 // columns of a context after the current node: the problem's scalar, the rest 0

// One step of every trajectory by a problem's rules (shaders/env). W = ceil(N / 32) words in a set of nodes.
struct rules_args {
    ptr state;      // (T, RULES_STATE), then (T, OWN_WORDS): the problem's own words
    ptr sets;       // (RULES_SETS, T, W) sets of nodes
    ptr remaining;  // (T, N) uint: undelivered demand; problems with split deliveries only
    ptr share;      // (T, N): remaining / capacity; the same problems
    ptr scalar;     // (T): the state's scalar in the decoder's context; or none
    ptr cost;       // (T): written when a trajectory is finished
    ptr unfinished; // one uint: set to steps + 1 by every trajectory that is unfinished after that many steps
    ptr history;    // (J, T) uint: the actions of every step
    ptr action;     // (T) uint
    ptr instance;   // (T) uint
    ptr nodes;      // (B, N, NODE_WORDS)
    ptr limits;     // (LIMITS_ROWS, B) uint: nodes, the scalars (a load, or the bits of a float), spare load, options
    uint T, N, B, J;
};
ARGS(rules, T);
#define RULES_MODE      2 // constants: RULES_BEGIN or RULES_STEP
#define RULES_REFERENCE 3 // the released program's glimpse mask instead of the relevant nodes
#define RULES_OPTIONS   8 // instances have options; else these are not looked at. Of merging, too

// Options of an instance.
#define RULES_LEGS  1  // lengths are in a matrix (B, N, N), rows from, behind the nodes
#define RULES_OPEN  2  // the leg back to the depot has length 0
#define RULES_PATH  4  // without a depot: the tour is not closed
#define RULES_FLEET 8  // the second scalar is a number of vehicles, which leave at most the spare load unused
#define RULES_ENDS  16 // the scalars are the nodes, from 1, that a tour starts and ends at; 0: any

#define SET_VISITED   0 // customers
#define SET_ALLOWED   1 // nodes that the next decision may choose
#define SET_KEYS      2 // keys of the glimpse
#define SET_OPENING   3 // SET_ALLOWED before the first step; reference dialect only
#define RULES_SETS    4
#define RULES_BEGIN   0
#define RULES_STEP    1
#define RULES_LIMITS  2 // scalars of an instance
#define LIMITS_SPARE  (1 + RULES_LIMITS)
#define LIMITS_MARKS  (2 + RULES_LIMITS) // the options
#define LIMITS_ROWS   (3 + RULES_LIMITS)
#define RULES_CURRENT 0 // words of the state
#define RULES_FIRST   1
#define RULES_STEPS   2
#define RULES_DONE    3 // 0, 1, or RULES_DEAD
#define RULES_DEAD    2 // done without a solution: vehicles are not enough
#define RULES_LENGTH  4 // float; the next word has the rounding error of its sum
#define RULES_STATE   6
#define LENGTH_MARGIN 1e-6 // OP: margin below the length limit

// Several decisions of every trajectory, under a problem's rules, for CPUs: shaders/env/cpu/decide.glsl. Fields as in
// rules_args, query_args, pointer_args and choose_args. Slot s serves trajectories s repeat ... and has rows s N ...;
// those of its trajectories that decide are `count`, from index `offset` on.
struct decide_args {
    ptr state, sets, remaining, share, scalar, cost, unfinished, history; // as in rules_args
    ptr logp, saved;                                                      // (T, N), (T, POINTER_SAVED): scratch
    ptr total;                                                            // (T): log-likelihoods, added to
    ptr trace_state, trace_allowed, trace_scalar, trace_dyn;              // (J T, ..): of every decision; or none
    ptr instance, nodes, limits;                                          // as in rules_args
    ptr allowed, dyn;                                                     // (T, W) of the sets; (T, N): share
    ptr number, stream, action_given;                                     // (T) uint for draws; (J, T) uint, given
    ptr kvl, node, first, wdyn;                                           // as in pointer_args; no node and first
    ptr first_node, current, fixed_, extra;                               // as in query_args
    word64 seed;
    uint T, N, B, J, S, max_rows, repeat, per_group, groups, slots_per_group, stride;
    uint offset, count;
    uint from, to; // decisions
    uint logs;     // 1: logp is to have the last decision's log-probabilities where they are allowed, also for
                   // trajectories that do not decide, as if in the same state
    float sharp;
};
ARGS_FAR(decide, seed);
#define DECIDE_MODE   6 // CHOOSE_..., beside POINTER_D, POINTER_H, POINTER_DYN and POINTER_SHARE_TS
#define DECIDE_SCALAR 7 // 1: the context has the current node and a scalar; 0: the first and the current node

// A decision of every trajectory, its step by a problem's rules, and the context of the next decision, for GPUs:
// shaders/env/turn.glsl. Fields as in rules_args, pointer_choose_args and context_args.
struct turn_args {
    ptr state, sets, remaining, share, scalar, cost, unfinished, history; // as in rules_args
    ptr logp, saved, action, chosen, total;                               // as in pointer_choose_args
    ptr ctx;                                                              // (T, C): of the next decision; or none
    ptr trace_state, trace_allowed, trace_scalar, trace_dyn;              // (T, ..): before the decision; or none
    ptr instance, nodes, limits;                                          // as in rules_args
    ptr q, kvl, slot, node, allowed, dyn, first, rows, wdyn;              // as in pointer_choose_args
    ptr given, number, stream;                                            // likewise
    ptr h, placeholder, relevant;                                         // as in context_args
    word64 seed;
    uint T, N, B, J, S, max_rows, repeat, per_group, groups, saves, D, C, depot;
    float sharp;
};
ARGS_FAR(turn, seed);
#define TURN_REFERENCE 7 // RULES_REFERENCE, beside POINTER_D, POINTER_H, POINTER_DYN, POINTER_THEN and POINTER_NODES

// A node of an instance: x, y, then
#define NODE_WORDS   8
#define NODE_DEMAND  2 // uint
#define NODE_SHARE   3 // demand / capacity
#define NODE_PRIZE   4 // expected
#define NODE_REAL    5
#define NODE_PENALTY 6
#define NODE_HOME    7 // 0, or the distance to a far depot; for the depot, how much closer the network sees it

// The words of a trajectory's state that only some problems have: UINT(name) or FLOAT(name) for each. The table of a
// problem lists them (src/problem/problem.h), its rules use them as members of `s`, and a trajectory has no others.
#define TSP_STATE(UINT, FLOAT)
#define CVRP_STATE(UINT, FLOAT)                                                                                        \
    UINT(load)   /* used capacity */                                                                                   \
    UINT(served) /* customers */                                                                                       \
    FLEET_STATE(UINT)
#define SDVRP_STATE(UINT, FLOAT)                                                                                       \
    UINT(load)   /* used capacity */                                                                                   \
    UINT(served) /* customers that need no further visit */                                                            \
    UINT(given)  /* by the last visit */                                                                               \
    FLEET_STATE(UINT)
#define FLEET_STATE(UINT)                                                                                              \
    UINT(routes) /* so far, the current one included; counted only where vehicles are limited */                       \
    UINT(unused) /* load that the routes before leave unused */
#define OP_STATE(UINT, FLOAT)                                                                                          \
    FLOAT(prize)                                                                                                       \
    FLOAT(prize_low) /* rounding error of the sum */
#define PCTSP_STATE(UINT, FLOAT)                                                                                       \
    UINT(served) /* customers */                                                                                       \
    FLOAT(prize)                                                                                                       \
    FLOAT(prize_low) /* rounding error of the sum */
