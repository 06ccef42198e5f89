#version 460
#extension GL_GOOGLE_include_directive : require
#include "errand_words.h"
#define RULES_OWN ERRAND_STATE
#include "env/rules_head.glsl"

// Errands: an open route within a number of stops, every stop reached by its due, a fine for everyone left out.
const bool RULES_DEPOT = true, RULES_XOR_FIRST = true;

float max_stops() { return limit(0); }

void begin() {}
void visit(uint a) {
    if (a != 0) { // the leg back is not counted
        travel(a);
        s.stops++;
    }
}
void record(uint a) {}
bool allowed(uint v) {
    return !visited(v) && float(s.stops) < max_stops() &&
           s.len + span(s.current, v) <= column(v, NODE_DUE) - LENGTH_MARGIN;
}
bool allowed_depot(bool any) { return true; }
bool relevant(uint v) { return v == 0 || v == s.current || allowed(v); }
bool finished() { return s.steps > 0 && s.current == 0; }
float context() { return (max_stops() - float(s.stops)) / max(1, max_stops()); }
float cost() {
    float fines = 0;
    for (uint v = lane(); v < n; v += LANES) {
        bool left_out = v > 0 && (visited_word(v / 32) >> (v & 31) & 1) == 0;
        fines += left_out ? column(v, NODE_FINE) : 0;
    }
    return s.len + subgroupAdd(fines);
}

uint signature_words() { return set_words(); }
uint signature(uint w) { return visited_word(w); }
bool dominates(State x, State y) { return no_longer(x, y); }

#include "env/rules_main.glsl"
