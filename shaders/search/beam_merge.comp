#version 460
#extension GL_GOOGLE_include_directive : require
#define BETWEEN_LANES coherent
#include "lib/kernel.glsl"
#include "lib/beam.glsl"
#include "lib/leg.glsl"
ARGUMENTS(beam_merge);
#include "lib/beam_table.glsl"

// Candidates that may be compared form a group, named after one of them; its members are a chain that begins there.
const uint OPEN = 0x80000000u, DEAD = 0x40000000u, NAME = ~(OPEN | DEAD); // in a word of the group
const uint LAST_RESORT = 0x80000000u;                                     // in a word of the leader

uint beam, base, count; // its first candidate, and how many there are

#define SCRATCH(row, c)  at_u(arg.scratch, (row) * arg.T * arg.K + base + (c))
#define GROUP(c)         SCRATCH(0, c)
#define NEXT(c)          SCRATCH(1, c) // + 1; 0: none
#define LEADER(c)        SCRATCH(2, c) // of the group that is named after c
#define FOR_CANDIDATES(c) for (uint c = lane(); c < count; c += LANES)
#define FOR_MEMBERS(d, c) for (uint d = name(c), more = 1; more != 0; more = NEXT(d), d = more - 1)

uint name(uint c) { return GROUP(c) & NAME; }
bool is_open(uint c) { return (GROUP(c) & OPEN) != 0; }
uint parent(uint c) { return (base + c) / arg.K; }
uint node(uint c) { return at_u(arg.node, base + c); }
uint state_of(uint c, uint word) { return at_u(arg.state, parent(c) * RULES_STATE + word); }

// What is compared of a candidate, after its move. Elsewhere than at the depot the load after the move goes by the load
// before it, and so does, if the load cuts it short, the delivery.
struct Standing {
    float len, low;
    uint load;
};

// With the rounding of shaders/env/rules_head.glsl. Without a depot the first move is none.
Standing standing(uint c) {
    precise float len = uintBitsToFloat(state_of(c, RULES_LENGTH)), low = uintBitsToFloat(state_of(c, RULES_LENGTH + 1));
    uint v = node(c);
    if (state_of(c, RULES_DONE) == 0 && (arg.depot != 0 || state_of(c, RULES_STEPS) > 0)) {
        precise float more = 
            leg(arg.nodes, at_u(arg.instance, parent(c)) * arg.N, state_of(c, RULES_CURRENT), v) + low;
        precise float total = len + more;
        precise float taken = total - len;
        low = more - taken;
        len = total;
    }
    return Standing(len, low, arg.depot != 0 && v == 0 ? 0 : state_of(c, RULES_LOAD));
}

// Whether a can do at least as well as b. Lengths within LENGTH_TIE are equal: the same legs in another order.
bool dominates(Standing a, Standing b) {
    precise float more = (a.len - b.len) + (a.low - b.low);
    return more <= LENGTH_TIE * max(a.len, b.len) && a.load <= b.load;
}

// At the same node, with the same still to be done.
bool same(uint i, uint j) {
    uint p = parent(i), q = parent(j), words = (arg.N + 31) / 32;
    if (node(i) != node(j) || at_u(arg.hash, p) != at_u(arg.hash, q))
        return false;
    uint stride = is_null(arg.remaining) ? words : arg.N, wrong = 0;
    for (uint w = 0; w < stride && wrong == 0; w++)
        wrong = is_null(arg.remaining) ? at_u(arg.visited, p * words + w) ^ at_u(arg.visited, q * words + w)
                                       : at_u(arg.remaining, p * arg.N + w) ^ at_u(arg.remaining, q * arg.N + w);
    if (arg.depot == 0)
        wrong |= at_u(arg.state, p * RULES_STATE + RULES_FIRST) ^ at_u(arg.state, q * RULES_STATE + RULES_FIRST);
    return wrong == 0;
}

// Whether somebody goes on. A beam that has come to its end stays as it is.
bool goes_on() {
    bool some = false;
    for (uint t = beam * arg.W + lane(); t < (beam + 1) * arg.W; t += LANES)
        some = some || (lives(at(arg.score, t)) && at_u(arg.state, t * RULES_STATE + RULES_DONE) == 0);
    return subgroupAny(some);
}

void find_groups() {
    clear_table(beam);
    FOR_CANDIDATES(c) {
        GROUP(c) = node(c) == BEAM_NONE ? c : entered(beam, c, hashed(at_u(arg.hash, parent(c)), node(c)));
        NEXT(c) = 0;
    }
    settle();
    FOR_CANDIDATES(c) if (name(c) != c) {
        uint after = atomicExchange(NEXT(name(c)), c + 1);
        NEXT(c) = after;
    }
    settle();
    FOR_CANDIDATES(c) if (NEXT(name(c)) != 0)
        GROUP(c) |= OPEN;
    settle();
}

// Of the open candidates of each group, the lowest that none of the others surpasses.
void choose_leaders() {
    FOR_CANDIDATES(c)
        LEADER(c) = 0xffffffffu;
    settle();
    FOR_CANDIDATES(c) if (is_open(c)) {
        Standing mine = standing(c);
        uint key = c;
        FOR_MEMBERS(d, c) if (d != c && is_open(d)) {
            Standing other = standing(d);
            if (dominates(other, mine) && !dominates(mine, other))
                key = c | LAST_RESORT; // somebody leads even if they surpassed each other in a circle
        }
        atomicMin(LEADER(name(c)), key);
    }
    settle();
}

// Leaders go on, and everyone they dominate dies. Whether somebody is still open.
bool follow_leaders() {
    bool some = false;
    FOR_CANDIDATES(c) if (is_open(c)) {
        uint leader = LEADER(name(c)) & ~LAST_RESORT;
        bool dies = leader != c && dominates(standing(leader), standing(c));
        if (leader == c || dies)
            GROUP(c) = name(c) | (dies ? DEAD : 0);
        some = some || is_open(c);
    }
    settle();
    return subgroupAny(some);
}

// One who died may have several heirs.
void inherit() {
    FOR_CANDIDATES(c) {
        float score = at(arg.offer, base + c);
        if ((GROUP(c) & DEAD) != 0) {
            score = MASKED;
        } else if (NEXT(name(c)) != 0) {
            Standing mine = standing(c);
            FOR_MEMBERS(d, c) if (d != c && dominates(mine, standing(d)))
                score = max(score, at(arg.offer, base + d));
        }
        at(arg.merged, base + c) = score;
    }
}

void main() {
    beam = worker();
    if (beam * arg.W >= arg.T)
        return;
    base = beam * arg.W * arg.K;
    count = arg.W * arg.K;
    if (!goes_on()) {
        FOR_CANDIDATES(c)
            at(arg.merged, base + c) = at(arg.offer, base + c);
        return;
    }
    find_groups();
    do
        choose_leaders();
    while (follow_leaders());
    inherit();
}
