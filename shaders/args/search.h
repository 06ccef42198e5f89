// Part of shaders/args.h: the beam search.

// Beam search: src/search/beam.h. Beam i has W hypotheses t = i W + w, each with K candidates t K + e for its next
// action; candidates of a beam are counted from the beam's first. BEAM_NONE is no node, or no parent; a score below
// half of MASKED marks a dead hypothesis.
#define BEAM_NONE 0xffffffffu

// By a problem's rules, candidates at the same node whose hypotheses have the same remaining nodes are merged: a
// dominated one is deleted, and the dominating one inherits its score if that is higher. Between equals the lower
// trajectory continues.
struct beam_merge_args {
    ptr merged;  // (T, K): scores; MASKED for merged ones
    ptr scratch; // (3, T, K) uint
    ptr table;   // (beams, size) uint
    ptr offer, node, score;
    ptr state, sets, remaining, instance, nodes, limits; // as in rules_args
    uint T, N, B, W, K;
    uint size; // a power of two, at least 2 W K
    uint bits; // bits of a hash that count
};
ARGS(beam_merge, T);
#define MERGE_OPTIONS 2      // constant: as RULES_OPTIONS
#define LENGTH_TIE    4.8e-7 // relative difference within which lengths are equal: four units in the last place

// The W best candidates become the hypotheses, in the order of the candidates; between equals the first.
struct beam_select_args {
    ptr parent;  // (T) uint
    ptr action;  // (T) uint
    ptr score;   // (T)
    ptr parents; // (J, T) uint: history
    ptr clock;   // (1) uint: steps taken
    ptr merged, node;
    uint T, W, K, J;
};
ARGS(beam_select, T);

// Copies the parent's state to hypothesis t.
struct beam_follow_args {
    ptr state, sets, remaining, share, slot; // (T, ..) as in rules_args; (T) uint
    ptr old_state, old_sets, old_remaining, old_share, old_slot;
    ptr parent;
    ptr clock; // (1) uint, incremented
    uint T, N;
    uint own; // words of the state that only this problem has
};
ARGS(beam_follow, T);

// All of that for a beam in one kernel, by one workgroup in shared memory: shaders/search/beam_step.glsl. States move
// in place.
struct beam_step_args {
    ptr action, score, parents;               // as in beam_select_args
    ptr clock;                                // (beams) uint: steps taken
    ptr state, sets, remaining, share, slot;  // as in beam_follow_args
    ptr offer, node, instance, nodes, limits; // as in beam_merge_args
    uint T, N, B, W, K, J;
    uint own, bits; // as in beam_follow_args and beam_merge_args
};
ARGS_FAR(beam_step, T);
#define BEAM_MERGES                     2                           // constant: 0: candidates are not merged
#define BEAM_WORDS(own)                 ((own) > 1 ? 8 + (own) : 9) // of shared memory, for each thread
#define BEAM_SHARED_BYTES(own, threads) (4 * BEAM_WORDS(own) * (threads) + 4)

// Hypotheses of a beam with the same relevant nodes share one glimpse, because theirs would be equal.
struct beam_share_args {
    ptr slot;     // (T) uint: index of its glimpse
    ptr keys;     // (T, words) uint: relevant nodes of hypotheses with their own glimpse; else empty
    ptr everyone; // (T, words) uint or none: the same for all nodes
    ptr table;    // (beams, size) uint: scratch
    ptr score, state;
    ptr relevant; // (T, words) uint
    ptr instance; // (T) uint
    ptr limits;   // (LIMITS_ROWS, B) uint
    uint T, N, W, size;
    uint bits; // bits of a hash that count
};
ARGS(beam_share, T);
