// Included before a problem's rules: functions that they may use. The rules define how one trajectory steps: begin,
// visit, allowed, allowed_depot, relevant, finished, context, cost; and which of two partial solutions dominates the
// other: signature, dominates. rules_main.glsl calls them. Each file of rules is compiled five times: as the kernel that
// steps, one subgroup per trajectory, lanes along the nodes; with RULES_MERGE as the kernel that merges a beam's
// candidates; with RULES_BEAM as the one that merges, selects and moves them in shared memory, for GPUs; with RULES_TURN
// as the kernel that decides before the step, for GPUs; and with RULES_DECIDE as the one that decides, for CPUs. `dominates` compares lengths and the problem's own words: the
// rest of two states is the same, or does not matter. The judges in src/problem are written independently.
#if defined RULES_MERGE || defined RULES_BEAM
#define RULES_CANDIDATES
#endif
#ifdef RULES_MERGE
#define BETWEEN_LANES coherent
#endif
#include "lib/kernel.glsl"
#include "lib/lanes.glsl"
#include "lib/leg.glsl"
layout(constant_id = RULES_OPTIONS) const uint OPTIONS = 0; // whether instances have some
#ifdef RULES_MERGE
ARGUMENTS(beam_merge);
const uint MODE = RULES_STEP;
#elif defined RULES_BEAM
ARGUMENTS_FAR(beam_step);
#undef arg // a copy, which is read once
beam_step_args arg;
const uint MODE = RULES_STEP;
#elif defined RULES_DECIDE
ARGUMENTS_FAR(decide);
// A copy: in loops Mesa's CPU driver would read them again and again, lane by lane.
#undef arg
decide_args arg;
const uint MODE = RULES_STEP, REFERENCE = 0;
const bool GLIMPSES = false; // no glimpse reads the relevant nodes
#elif defined RULES_TURN
ARGUMENTS_FAR(turn);
#undef arg // a copy, which is read once
turn_args arg;
const uint MODE = RULES_STEP;
layout(constant_id = TURN_REFERENCE) const uint REFERENCE = 0;
const bool GLIMPSES = true;
#else
ARGUMENTS(rules);
layout(constant_id = RULES_MODE) const uint MODE = RULES_STEP;
layout(constant_id = RULES_REFERENCE) const uint REFERENCE = 0; // the released program's mask instead of the relevant nodes
const bool GLIMPSES = true;
#endif

// One trajectory: RULES_STATE words in memory, and behind those of all trajectories the problem's own, RULES_OWN. Sums
// carry their rounding error, so that limits hold to the last digits in long tours.
#define OWN_UINT(name)  uint name;
#define OWN_FLOAT(name) float name;
#define OWN_ONE(name)   + 1
struct State {
    uint current, first, steps, done;
    float len, len_low;
    RULES_OWN(OWN_UINT, OWN_FLOAT)
};
const uint OWN_WORDS = 0 RULES_OWN(OWN_ONE, OWN_ONE);

uint t, b, n;              // trajectory, its instance, the instance's nodes (depot included)
uint limits[RULES_LIMITS]; // the instance's scalars in the order of the problem's table: a load, or the bits of a float
uint marks, spare;         // its options, and the load that limited vehicles may leave unused
uint seen; // the current word of the visited set
State s;

void load_instance(uint trajectory) {
    b = at_u(arg.instance, trajectory);
    n = at_u(arg.limits, b);
    [[unroll]] for (uint i = 0; i < RULES_LIMITS; i++)
        limits[i] = at_u(arg.limits, (1 + i) * arg.B + b);
    marks = 0;
    if (OPTIONS != 0) {
        spare = at_u(arg.limits, LIMITS_SPARE * arg.B + b);
        marks = at_u(arg.limits, LIMITS_MARKS * arg.B + b);
    }
}

bool has(uint option) { return OPTIONS != 0 && (marks & option) != 0; }

// Returns word i of the `count` words that begin at index `start`.
uint word_from(uint start, uint count, uint i) {
#ifdef RULES_CANDIDATES
    return at_u(arg.state, start + i);
#else // each lane reads one word and broadcasts it
    uint base = i / LANES * LANES, word = 0;
    if (base + lane() < count)
        word = at_u(arg.state, start + base + lane());
    return subgroupBroadcast(word, i % LANES);
#endif
}
uint state_start() { return t * RULES_STATE; }
uint own_start() { return arg.T * RULES_STATE + t * OWN_WORDS; }
uint state_word(uint i) { return word_from(state_start(), RULES_STATE, i); }
uint own_word(uint i) { return word_from(own_start(), OWN_WORDS, i); }

#define OWN_UINT_LOAD(name)  x.name = own_word(i++);
#define OWN_FLOAT_LOAD(name) x.name = uintBitsToFloat(own_word(i++));
State load_state() {
    State x;
    x.current = state_word(RULES_CURRENT);
    x.first = state_word(RULES_FIRST);
    x.steps = state_word(RULES_STEPS);
    x.done = state_word(RULES_DONE);
    x.len = uintBitsToFloat(state_word(RULES_LENGTH));
    x.len_low = uintBitsToFloat(state_word(RULES_LENGTH + 1));
    uint i = 0;
    RULES_OWN(OWN_UINT_LOAD, OWN_FLOAT_LOAD)
    return x;
}

#define OWN_ZERO(name) x.name = 0;
State initial_state() {
    State x;
    x.current = x.first = x.steps = x.done = 0;
    x.len = x.len_low = 0;
    RULES_OWN(OWN_ZERO, OWN_ZERO)
    return x;
}

float limit(uint i) { return uintBitsToFloat(limits[i]); }
uint column_word(uint v, uint word) { return at_u(arg.nodes, (b * arg.N + v) * NODE_WORDS + word); }
float column(uint v, uint word) { return at(arg.nodes, (b * arg.N + v) * NODE_WORDS + word); }
float span(uint i, uint j) {
    if (has(RULES_OPEN) && j == 0)
        return 0;
    if (has(RULES_LEGS))
        return at(arg.nodes, (arg.B * NODE_WORDS + b * arg.N + i) * arg.N + j);
    return leg(arg.nodes, b * arg.N, i, j);
}
uint set_words() { return (arg.N + 31) / 32; }
// Returns the index of word w of one of this trajectory's sets.
uint set_word(uint set, uint w) { return (set * arg.T + t) * set_words() + w; }
uint visited_word(uint w) { return at_u(arg.sets, set_word(SET_VISITED, w)); }
bool visited(uint v) { return (seen >> (v & 31) & 1) != 0; }

// Problems with split deliveries: the remaining demand, and its feature.
uint remaining_word(uint v) { return at_u(arg.remaining, t * arg.N + v); }
void set_remaining(uint v, uint left, float share) {
#ifndef RULES_CANDIDATES
    at_u(arg.remaining, t * arg.N + v) = left;
    at(arg.share, t * arg.N + v) = share;
#endif
}

// Compensated addition.
void add(inout float sum, inout float low, float x) {
    precise float y = x + low;
    precise float total = sum + y;
    precise float taken = total - sum;
    precise float rest = y - taken;
    sum = total;
    low = rest;
}
void travel(uint v) { add(s.len, s.len_low, span(s.current, v)); }

// Lengths within LENGTH_TIE are equal: the same legs in another order.
bool no_longer(State x, State y) {
    precise float more = (x.len - y.len) + (x.len_low - y.len_low);
    return more <= LENGTH_TIE * max(x.len, y.len);
}

#ifdef RULES_DECIDE
#include "env/cpu/decide.glsl"
#elif defined RULES_TURN
#include "env/turn.glsl"
#endif
