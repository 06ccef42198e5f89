#version 460
#extension GL_GOOGLE_include_directive : require
#include "env/rules_head.glsl"

// Split-delivery vehicle routing: a visit delivers what is still needed, as far as the load goes.
const bool RULES_DEPOT = true, RULES_XOR_FIRST = false;

uint given_to = 0xffffffffu, left_there; // the customer of this step and what it still needs

uint remaining(uint v) {
    if (v == given_to)
        return left_there;
    return MODE == RULES_BEGIN ? demand(v) : at_u(arg.remaining, t * arg.N + v);
}
void show(uint v, uint left) {
    at_u(arg.remaining, t * arg.N + v) = left;
    at(arg.share, t * arg.N + v) = float(left) / float(limit_word);
}
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
    if (a == 0) {
        s.load = 0;
        return;
    }
    // From the first lane, which has it before any lane writes there.
    uint need = subgroupBroadcastFirst(remaining(a)), given = min(need, limit_word - s.load);
    given_to = a;
    left_there = need - given;
    s.load += given;
    s.served += left_there == 0 ? 1 : 0;
    show(a, left_there);
}
bool allowed(uint v) { return s.load < limit_word && remaining(v) > 0; }
bool allowed_depot(bool any) { return s.current != 0 || !any; }
bool relevant(uint v) { return v == 0 || v == s.current || remaining(v) > 0; }
bool finished() { return s.served == n - 1 && s.current == 0; }
float context() { return float(limit_word - s.load) / float(limit_word); }
float cost() { return s.len; }

#include "env/rules_main.glsl"
