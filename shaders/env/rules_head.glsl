// Before a problem's rules: what they may use. The rules say how one trajectory steps: begin, visit, allowed,
// allowed_depot, relevant, finished, context, cost. rules_main.glsl drives them, one subgroup per trajectory, lanes along
// the nodes. The judges in src/problem are written independently of this.
#include "lib/kernel.glsl"
#include "lib/leg.glsl"
ARGUMENTS(rules);

layout(constant_id = RULES_MODE) const uint MODE = RULES_STEP;
layout(constant_id = RULES_REFERENCE) const uint REFERENCE = 0; // the released program's glimpse mask instead of the relevant nodes

// One trajectory, RULES_STATE words in memory. Sums carry their rounding error, so that limits hold to the last digits
// however long the tour is.
struct State {
    uint current, first, steps, done;
    uint load;   // used capacity
    uint served; // customers that need no further visit
    float len, len_low;
    float prize, prize_low;
};

uint t, b, n;    // trajectory, its instance, the instance's nodes (depot included)
uint limit_word; // capacity, or the bits of the length limit or least prize
uint seen;       // the word of the visited set that is being looked at
State s;

uint demand(uint v) { return at_u(arg.nodes, (b * arg.N + v) * NODE_WORDS + NODE_DEMAND); }
float column(uint v, uint word) { return at(arg.nodes, (b * arg.N + v) * NODE_WORDS + word); }
float span(uint i, uint j) { return leg(arg.nodes, b * arg.N, i, j); }
// Word w of one of this trajectory's sets.
uint set_word(uint set, uint w) { return (set * arg.T + t) * ((arg.N + 31) / 32) + w; }
bool visited(uint v) { return (seen >> (v & 31) & 1) != 0; }

// Compensated addition.
void add(inout float sum, inout float low, float x) {
    precise float y = x + low;
    precise float total = sum + y;
    precise float taken = total - sum;
    precise float rest = y - taken;
    sum = total;
    low = rest;
}
void travel(uint v) { add(s.len, s.len_low, span(s.current, v)); }
