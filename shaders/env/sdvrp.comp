#version 460
#extension GL_GOOGLE_include_directive : require
#define RULES_OWN SDVRP_STATE
#include "env/rules_head.glsl"

// Split-delivery vehicle routing: a visit delivers the remaining demand, as far as the load allows.
const bool RULES_DEPOT = true, RULES_XOR_FIRST = false;

uint given_to = 0xffffffffu, left_there; // the customer of this step and its remaining demand

uint demand(uint v) { return column_word(v, NODE_DEMAND); }
uint capacity() { return limits[0]; }
#include "env/fleet.glsl"
uint remaining(uint v) {
    if (v == given_to)
        return left_there;
    return MODE == RULES_BEGIN ? demand(v) : remaining_word(v);
}
void show(uint v, uint left) { set_remaining(v, left, float(left) / float(capacity())); }
void begin() {
    uint idle = 0; // customers without demand are not visited
    for (uint v = lane(); v < n; v += LANES) {
        show(v, demand(v));
        idle += v > 0 && demand(v) == 0 ? 1 : 0;
    }
    s.served = subgroupAdd(idle);
}
void visit(uint a) {
    travel(a);
    drive(a);
    given_to = 0xffffffffu;
    s.given = 0;
    if (a == 0) {
        s.load = 0;
        return;
    }
    uint need = remaining_word(a);
    s.given = min(need, capacity() - s.load);
    given_to = a;
    left_there = need - s.given;
    s.load += s.given;
    s.served += left_there == 0 ? 1 : 0;
}
void record(uint a) {
    if (a != 0)
        show(a, left_there);
}
bool allowed(uint v) { return s.load < capacity() && remaining(v) > 0; }
bool allowed_depot(bool any) { return (s.current != 0 && may_end()) || !any; }
bool relevant(uint v) { return v == 0 || v == s.current || remaining(v) > 0; }
bool finished() { return s.served == n - 1 && s.current == 0; }
float context() { return float(capacity() - s.load) / float(capacity()); }
float cost() { return s.len; }

uint signature_words() { return arg.N; }
uint signature(uint w) { return remaining_word(w); }
bool dominates(State x, State y) {
    return no_longer(x, y) && x.load <= y.load && x.given >= y.given && x.routes <= y.routes;
}

#include "env/rules_main.glsl"
