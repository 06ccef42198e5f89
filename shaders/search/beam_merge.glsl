// Merges a beam's candidates by the rules of the including problem: of candidates at the same node whose hypotheses
// have the same signature, dominated ones are removed, and the dominating one inherits their score if that is higher.
// Between equals the lower trajectory continues.
#include "lib/beam.glsl"
#include "lib/beam_table.glsl"

// Comparable candidates form a group, named after one of them; its members are a chain that begins there.
const uint OPEN = 0x80000000u, DEAD = 0x40000000u, NAME = ~(OPEN | DEAD); // in a word of the group
const uint LAST_RESORT = 0x80000000u;                                     // in a word of the leader

uint beam, base, count; // its first candidate, and the number of candidates

#define SCRATCH(row, c)   at_u(arg.scratch, (row) * arg.T * arg.K + base + (c))
#define GROUP(c)          SCRATCH(0, c)
#define NEXT(c)           SCRATCH(1, c) // + 1; 0: none
#define LEADER(c)         SCRATCH(2, c) // leader of the group that is named after c
#define HASH(w)           SCRATCH(2, w) // hash of hypothesis w of the beam, before there are leaders
#define FOR_CANDIDATES(c) for (uint c = lane(); c < count; c += LANES)
#define FOR_MEMBERS(d, c) for (uint d = name(c), more = 1; more != 0; more = NEXT(d), d = more - 1)

uint name(uint c) { return GROUP(c) & NAME; }
bool is_open(uint c) { return (GROUP(c) & OPEN) != 0; }
uint node(uint c) { return at_u(arg.node, base + c); }

// Returns the state after a candidate's action.
State outcome(uint c) {
    t = (base + c) / arg.K;
    s = load_state();
    if (s.done == 0) {
        visit(node(c));
        s.current = node(c);
        s.steps++;
    }
    return s;
}

// Returns word i of the remaining nodes of a hypothesis.
uint word_of(uint w, uint i) {
    t = beam * arg.W + w;
    return signature(i);
}

bool same(uint i, uint j) {
    uint p = i / arg.K, q = j / arg.K, words = signature_words();
    bool equal = node(i) == node(j) && HASH(p) == HASH(q);
    for (uint w = 0; w < words && equal; w++)
        equal = word_of(p, w) == word_of(q, w);
    return equal;
}

// Returns whether some hypothesis is unfinished. A finished beam does not change.
bool goes_on() {
    bool some = false;
    for (uint t = beam * arg.W + lane(); t < (beam + 1) * arg.W; t += LANES)
        some = some || (lives(at(arg.score, t)) && at_u(arg.state, t * RULES_STATE + RULES_DONE) == 0);
    return subgroupAny(some);
}

void find_groups() {
    uint words = signature_words();
    for (uint w = lane(); w < arg.W; w += LANES) {
        uint hash = 0;
        for (uint i = 0; i < words; i++)
            hash = hashed(hash, word_of(w, i));
        HASH(w) = hash & arg.bits;
    }
    clear_table(beam);
    FOR_CANDIDATES(c) {
        GROUP(c) = node(c) == BEAM_NONE ? c : entered(beam, c, hashed(HASH(c / arg.K), node(c)));
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

// Chooses in each group the lowest open candidate that no other surpasses.
void choose_leaders() {
    FOR_CANDIDATES(c)
        LEADER(c) = 0xffffffffu;
    settle();
    FOR_CANDIDATES(c) if (is_open(c)) {
        State mine = outcome(c);
        uint key = c;
        FOR_MEMBERS(d, c) if (d != c && is_open(d)) {
            State other = outcome(d);
            if (dominates(other, mine) && !dominates(mine, other))
                key = c | LAST_RESORT; // a leader exists even if candidates surpass each other in a circle
        }
        atomicMin(LEADER(name(c)), key);
    }
    settle();
}

// Leaders continue, and all candidates they dominate are removed. Returns whether some are still open.
bool follow_leaders() {
    bool some = false;
    FOR_CANDIDATES(c) if (is_open(c)) {
        uint leader = LEADER(name(c)) & ~LAST_RESORT;
        bool dies = leader != c && dominates(outcome(leader), outcome(c));
        if (leader == c || dies)
            GROUP(c) = name(c) | (dies ? DEAD : 0);
        some = some || is_open(c);
    }
    settle();
    return subgroupAny(some);
}

// A removed candidate may have several heirs.
void inherit() {
    FOR_CANDIDATES(c) {
        float score = at(arg.offer, base + c);
        if ((GROUP(c) & DEAD) != 0 || (OPTIONS != 0 && node(c) != BEAM_NONE && outcome(c).done == RULES_DEAD)) {
            score = MASKED;
        } else if (NEXT(name(c)) != 0) {
            State mine = outcome(c);
            FOR_MEMBERS(d, c) if (d != c && dominates(mine, outcome(d)))
                score = max(score, at(arg.offer, base + d));
        }
        at(arg.merged, base + c) = score;
    }
}

void main() {
    beam = worker();
    if (beam * arg.W >= arg.T)
        return;
    load_instance(beam * arg.W); // all hypotheses of a beam have the same instance
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
