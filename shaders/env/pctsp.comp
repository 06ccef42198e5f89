#version 460
#extension GL_GOOGLE_include_directive : require
#define RULES_OWN PCTSP_STATE
#include "env/rules_head.glsl"

// Prize-collecting salesman: collect the min prize, pay a penalty for every unvisited customer. The stochastic variant
// has another column of real prizes, each revealed by its visit.
const bool RULES_DEPOT = true, RULES_XOR_FIRST = true;

float min_prize() { return limit(0); }

void begin() {}
void visit(uint a) {
    travel(a);
    add(s.prize, s.prize_low, column(a, NODE_REAL));
    s.served += a == 0 ? 0 : 1;
}
void record(uint a) {}
bool allowed(uint v) { return !visited(v); }
bool allowed_depot(bool any) { return s.prize >= min_prize() || s.served == n - 1; }
bool relevant(uint v) { return v == 0 || v == s.current || !visited(v); }
bool finished() { return s.steps > 0 && s.current == 0; }
float context() { return max(0, min_prize() - s.prize); }
float cost() {
    float penalty = 0;
    for (uint v = lane(); v < n; v += LANES) {
        bool left_out = v > 0 && (visited_word(v / 32) >> (v & 31) & 1) == 0;
        penalty += left_out ? column(v, NODE_PENALTY) : 0;
    }
    return s.len + subgroupAdd(penalty);
}

uint signature_words() { return set_words(); }
uint signature(uint w) { return visited_word(w); }
bool dominates(State x, State y) { return no_longer(x, y); }

#include "env/rules_main.glsl"
