#version 460
#extension GL_GOOGLE_include_directive : require
#define RULES_OWN OP_STATE
#include "env/rules_head.glsl"

// Orienteering: collect prizes and return to the depot within the length limit.
const bool RULES_DEPOT = true, RULES_XOR_FIRST = true;

// The margin of the released program, plus the rounding of end points to single precision for every leg.
float margin() { return LENGTH_MARGIN + 1.2e-7 * float(s.steps + 2); }

void begin() {}
void visit(uint a) {
    travel(a);
    add(s.prize, s.prize_low, column(a, NODE_PRIZE));
}
void record(uint a) {}
bool allowed(uint v) { return !visited(v) && s.len + span(s.current, v) + span(v, 0) <= limit(0) - margin(); }
bool allowed_depot(bool any) { return true; }
// With a matrix a detour may be shorter: a node out of reach may come into reach again.
bool relevant(uint v) { return v == 0 || v == s.current || (has(RULES_LEGS) ? !visited(v) : allowed(v)); }
bool finished() { return s.steps > 0 && s.current == 0; }
// Legs from or to the depot that remain, whose lengths the network sees shorter: one, two at the beginning, one less if
// routes are open.
float depot_legs() { return (s.current == 0 ? 2 : 1) - (has(RULES_OPEN) ? 1 : 0); }
float context() { return limit(0) - LENGTH_MARGIN - s.len - depot_legs() * column(0, NODE_HOME); }
float cost() { return -s.prize; }

uint signature_words() { return set_words(); }
uint signature(uint w) { return visited_word(w); }
bool dominates(State x, State y) { return no_longer(x, y); }

#include "env/rules_main.glsl"
