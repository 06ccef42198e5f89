#version 460
#extension GL_GOOGLE_include_directive : require
#define BETWEEN_LANES coherent
#include "lib/kernel.glsl"
#include "lib/beam.glsl"
ARGUMENTS(beam_merge);
#include "lib/beam_table.glsl"

const uint ALONE = 0x80000000u, SETTLED = 0x40000000u, GROUP = ~(ALONE | SETTLED); // a word of arg.group

uint beam, base, count; // its first candidate, and how many there are

uint parent(uint c) { return (base + c) / arg.K; }
uint node(uint c) { return at_u(arg.node, base + c); }
uint way(uint c) { return at_u(arg.length_, base + c); } // bits of a float that is not negative are in its order
// At the depot everyone is empty; elsewhere the load after the move goes by the load before it, and so does, if the load
// cuts it short, the delivery.
uint load(uint c) { return node(c) == 0 ? 0 : at_u(arg.state, parent(c) * RULES_STATE + RULES_LOAD); }
// What the candidates of a group know of their leader, in the place of the one who is the group's name.
uint lead(uint what, uint c) { return (what * arg.T * arg.K) + base + (at_u(arg.group, base + c) & GROUP); }
const uint LENGTH = 0, LOAD = 1, WHO = 2, SCORE = 3;

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

#define FOR_CANDIDATES(c) for (uint c = lane(); c < count; c += LANES)

void find_groups() {
    clear_table(beam);
    FOR_CANDIDATES(c) {
        uint group = ALONE | SETTLED;
        if (node(c) != BEAM_NONE) {
            uint name = entered(beam, c, hashed(at_u(arg.hash, parent(c)), node(c)));
            group = name == c ? c | ALONE | SETTLED : name;
        }
        at_u(arg.group, base + c) = group;
    }
    settle();
    FOR_CANDIDATES(c) {
        uint group = at_u(arg.group, base + c);
        if ((group & ALONE) == 0)
            at_u(arg.group, base + group) = group;
    }
    settle();
}

bool leads(uint c) { return at_u(arg.lead, lead(WHO, c)) == c + 1; }
bool open(uint c) { return (at_u(arg.group, base + c) & SETTLED) == 0; }

// Of the open candidates of each group the shortest, of those the one with the least load, of equals the last, leads.
void choose_leaders() {
    FOR_CANDIDATES(c) if (open(c)) {
        at_u(arg.lead, lead(LENGTH, c)) = at_u(arg.lead, lead(LOAD, c)) = 0xffffffffu;
        at_u(arg.lead, lead(WHO, c)) = at_u(arg.lead, lead(SCORE, c)) = 0;
    }
    settle();
    FOR_CANDIDATES(c) if (open(c))
        atomicMin(at_u(arg.lead, lead(LENGTH, c)), way(c));
    settle();
    FOR_CANDIDATES(c) if (open(c) && way(c) == at_u(arg.lead, lead(LENGTH, c)))
        atomicMin(at_u(arg.lead, lead(LOAD, c)), load(c));
    settle();
    FOR_CANDIDATES(c)
        if (open(c) && way(c) == at_u(arg.lead, lead(LENGTH, c)) && load(c) == at_u(arg.lead, lead(LOAD, c)))
            atomicMax(at_u(arg.lead, lead(WHO, c)), c + 1);
    settle();
}

// Everyone who can do no more than the leader hands over its score and, if still open, dies. One who died before may
// have several heirs. Whether somebody is still open.
bool inherit() {
    bool some = false;
    FOR_CANDIDATES(c) if ((at_u(arg.group, base + c) & ALONE) == 0 && !leads(c)) {
        bool inferior = way(c) >= at_u(arg.lead, lead(LENGTH, c)) && load(c) >= at_u(arg.lead, lead(LOAD, c));
        if (inferior)
            atomicMax(at_u(arg.lead, lead(SCORE, c)), ordered(at(arg.offer, base + c)));
        if (open(c) && inferior) {
            at(arg.merged, base + c) = MASKED;
            at_u(arg.group, base + c) |= SETTLED;
        }
        some = some || open(c);
    }
    settle();
    FOR_CANDIDATES(c) if (open(c) && leads(c)) {
        uint heritage = at_u(arg.lead, lead(SCORE, c));
        if (heritage > ordered(at(arg.offer, base + c)))
            at(arg.merged, base + c) = unordered(heritage);
        at_u(arg.group, base + c) |= SETTLED;
    }
    settle();
    return subgroupAny(some);
}

void main() {
    beam = worker();
    if (beam * arg.W >= arg.T)
        return;
    base = beam * arg.W * arg.K;
    count = arg.W * arg.K;
    FOR_CANDIDATES(c)
        at(arg.merged, base + c) = at(arg.offer, base + c);
    if (!goes_on())
        return;
    find_groups();
    do
        choose_leaders();
    while (inherit());
}
