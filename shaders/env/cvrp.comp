#version 460
#extension GL_GOOGLE_include_directive : require
#include "env/rules_head.glsl"

// Capacitated vehicle routing: every customer once, loads within the capacity, back to the depot in between.
const bool RULES_DEPOT = true, RULES_XOR_FIRST = false;

void begin() {}
void visit(uint a) {
    travel(a);
    s.load = a == 0 ? 0 : s.load + demand(a);
    s.served += a == 0 ? 0 : 1;
}
bool allowed(uint v) { return !visited(v) && s.load + demand(v) <= limit_word; }
bool allowed_depot(bool any) { return s.current != 0 || !any; }
bool relevant(uint v) { return v == 0 || v == s.current || !visited(v); }
bool finished() { return s.served == n - 1 && s.current == 0; }
float context() { return float(limit_word - s.load) / float(limit_word); }
float cost() { return s.len; }

#include "env/rules_main.glsl"
