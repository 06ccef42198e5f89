#version 460
#extension GL_GOOGLE_include_directive : require
#define RULES_OWN CVRP_STATE
#include "env/rules_head.glsl"

// Capacitated vehicle routing: every customer once, loads within the capacity, back to the depot in between.
const bool RULES_DEPOT = true, RULES_XOR_FIRST = false;

uint demand(uint v) { return column_word(v, NODE_DEMAND); }
uint capacity() { return limits[0]; }
#include "env/fleet.glsl"

void begin() {}
void visit(uint a) {
    travel(a);
    drive(a);
    s.load = a == 0 ? 0 : s.load + demand(a);
    s.served += a == 0 ? 0 : 1;
}
void record(uint a) {}
bool allowed(uint v) { return !visited(v) && s.load + demand(v) <= capacity(); }
bool allowed_depot(bool any) { return (s.current != 0 && may_end()) || !any; }
bool relevant(uint v) { return v == 0 || v == s.current || !visited(v); }
bool finished() { return s.served == n - 1 && s.current == 0; }
float context() { return float(capacity() - s.load) / float(capacity()); }
float cost() { return s.len; }

uint signature_words() { return set_words(); }
uint signature(uint w) { return visited_word(w); }
bool dominates(State x, State y) { return no_longer(x, y) && x.load <= y.load && x.routes <= y.routes; }

#include "env/rules_main.glsl"
