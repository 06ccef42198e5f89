// Included after a problem's rules: the kernels that call them.
#ifdef RULES_MERGE
#include "search/beam_merge.glsl"
#elif defined RULES_BEAM
#include "search/beam_step.glsl"
#else
// Applies the chosen action to every trajectory and prepares the next decision.

// A lane stores one word: a store of the same word by all lanes costs a CPU as many.
#define STORE_WORDS(words, start, count)                                             \
    [[unroll]] for (uint base = 0; base < (count); base += LANES) {                  \
        uint word = 0;                                                               \
        [[unroll]] for (uint i = base; i < min(base + LANES, (count)); i++)          \
            word = lane() == i - base ? words[i] : word;                             \
        if (base + lane() < (count))                                                 \
            at_u(arg.state, (start) + base + lane()) = word;                         \
    }

#define OWN_UINT_STORE(name)  own[i++] = s.name;
#define OWN_FLOAT_STORE(name) own[i++] = floatBitsToUint(s.name);
void store_state() {
    uint words[RULES_STATE], own[OWN_WORDS + 1], i = 0;
    words[RULES_CURRENT] = s.current;
    words[RULES_FIRST] = s.first;
    words[RULES_STEPS] = s.steps;
    words[RULES_DONE] = s.done;
    words[RULES_LENGTH] = floatBitsToUint(s.len);
    words[RULES_LENGTH + 1] = floatBitsToUint(s.len_low);
    STORE_WORDS(words, state_start(), RULES_STATE)
    RULES_OWN(OWN_UINT_STORE, OWN_FLOAT_STORE)
    STORE_WORDS(own, own_start(), OWN_WORDS)
}

// Bits of the nodes 32 w .. 32 w + 31 for which PREDICATE(v) holds. Processes LANES or 32 nodes at a time.
#define BITS_OF(result, w, PREDICATE)                                                \
    for (uint start = 0; start < 32; start += LANES) {                              \
        uint v = 32 * (w) + start + lane();                                         \
        bool holds = lane() < 32 && v < n;                                          \
        if (holds)                                                                  \
            holds = PREDICATE(v);                                                   \
        result |= lanes_ballot(holds) << start;                                 \
    }

uint keys_of(uint w, uint open_before) {
    uint nodes = 0;
    if (REFERENCE != 0) {
        nodes = open_before;
        if (RULES_XOR_FIRST)
            nodes = ~(nodes ^ at_u(arg.sets, set_word(SET_OPENING, w)));
        uint ahead = min(max(n, 32 * w) - 32 * w, 32);
        return nodes & (ahead == 32 ? 0xffffffffu : (1u << ahead) - 1);
    }
    if (s.done != 0)
        return 0;
    BITS_OF(nodes, w, relevant)
    return MODE == RULES_BEGIN ? nodes : nodes & at_u(arg.sets, set_word(SET_KEYS, w)); // a node never becomes relevant again
}

// One decision of trajectory t: to `action`, unless it is done.
void advance(uint action) {
    load_instance(t);
    uint words = (arg.N + 31) / 32, to = 0xffffffffu;
    if (MODE == RULES_BEGIN) {
        s = initial_state();
        begin();
    } else {
        s = load_state();
        if (s.done == 0) {
            to = action;
            visit(action);
            subgroupBarrier(); // every lane has read the values that record() overwrites
            record(action);
            if (s.steps < arg.J)
                at_u(arg.history, s.steps * arg.T + t) = action;
            s.current = action;
            s.steps++;
        }
    }
    if (s.done == 0)
        s.done = finished() ? 1 : 0;

    bool any = false;
    uint open_first = 0;
    for (uint w = 0; w < words; w++) {
        uint open_before = 0;
        seen = 0;
        if (MODE != RULES_BEGIN) {
            seen = at_u(arg.sets, set_word(SET_VISITED, w));
            open_before = at_u(arg.sets, set_word(SET_ALLOWED, w));
        }
        if (to / 32 == w && (to != 0 || !RULES_DEPOT))
            seen |= 1u << (to & 31);
        at_u(arg.sets, set_word(SET_VISITED, w)) = seen;
        uint open = 0;
        if (s.done == 0)
            BITS_OF(open, w, allowed)
        if (RULES_DEPOT && w == 0)
            open &= ~1u;
        any = any || open != 0;
        if (w == 0)
            open_first = open;
        at_u(arg.sets, set_word(SET_ALLOWED, w)) = open;
        if (GLIMPSES)
            at_u(arg.sets, set_word(SET_KEYS, w)) = keys_of(w, open_before);
        if (REFERENCE != 0 && MODE == RULES_BEGIN)
            at_u(arg.sets, set_word(SET_OPENING, w)) = open;
    }
    if (s.done != 0 || (RULES_DEPOT && allowed_depot(any)))
        open_first |= 1; // a finished trajectory stays at node 0, with probability 1
    at_u(arg.sets, set_word(SET_ALLOWED, 0)) = open_first;
    if (REFERENCE != 0 && MODE == RULES_BEGIN)
        at_u(arg.sets, set_word(SET_OPENING, 0)) = open_first;

    if (!is_null(arg.scalar))
        at(arg.scalar, t) = context();
    if (s.done != 0)
        at(arg.cost, t) = OPTIONS != 0 && s.done == RULES_DEAD ? uintBitsToFloat(0x7f800000u) : cost();
#ifndef RULES_DECIDE
    else if (lane() == 0)
        atomicMax(at_u(arg.unfinished, 0), s.steps + 1);
#endif
    store_state();
}

#ifdef RULES_DECIDE
#include "env/cpu/decide_main.glsl"
#elif defined RULES_TURN
// A worker has a trajectory.
void main() {
    arg = arguments.value;
    t = worker();
    bool works = t < arg.T;
    if (works)
        save_trace();
    point(works);
    if (!works)
        return;
    advance(choose());
    if (!is_null(arg.ctx))
        write_context(t, s.done != 0, s.steps == 0, s.current, s.first, is_null(arg.scalar) ? 0.0 : context());
}
#else
void main() {
    t = worker();
    if (t < arg.T)
        advance(at_u(arg.action, t));
}
#endif
#endif
