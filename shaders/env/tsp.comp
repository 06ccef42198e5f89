#version 460
#extension GL_GOOGLE_include_directive : require
#define RULES_OWN TSP_STATE
#include "env/rules_head.glsl"

// Travelling salesman: every node once, and back to the first unless it is a path.
const bool RULES_DEPOT = false, RULES_XOR_FIRST = false;

void begin() {}
void visit(uint a) {
    if (s.steps == 0)
        s.first = a;
    else
        travel(a);
}
void record(uint a) {}
// Only the node that the tour starts at may come first, and the one that it ends at only last.
bool in_order(uint v) {
    if (s.steps == 0 && limits[0] != 0)
        return v + 1 == limits[0];
    return v + 1 != limits[1] || s.steps == n - 1;
}
bool allowed(uint v) { return !visited(v) && (!has(RULES_ENDS) || in_order(v)); }
bool allowed_depot(bool any) { return false; }
bool relevant(uint v) { return !visited(v) || (s.steps > 0 && (v == s.current || v == s.first)); }
bool finished() { return s.steps == n; }
float context() { return 0; }
float cost() { return has(RULES_PATH) ? s.len : s.len + span(s.current, s.first); }

uint signature_words() { return set_words() + 1; }
uint signature(uint w) { return w < set_words() ? visited_word(w) : at_u(arg.state, t * RULES_STATE + RULES_FIRST); }
bool dominates(State x, State y) { return no_longer(x, y); }

#include "env/rules_main.glsl"
