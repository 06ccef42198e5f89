#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
ARGUMENTS(query);

uint word_of(uint t, uint i) { return at_u(arg.state, t * RULES_STATE + i); }

// One worker per decision of a trajectory. Decisions of a slot follow one another, because they read the same rows.
void main() {
    uint w = worker(), own = arg.decisions * arg.repeat, slot = w / own, i = w - slot * own;
    if (slot >= arg.S)
        return;
    uint t = (i / arg.repeat * arg.S + slot) * arg.repeat + i % arg.repeat;
    uint current = slot * arg.N + word_of(t, RULES_CURRENT), first = 0, extra = slot / arg.per_group * arg.stride;
    bool done = word_of(t, RULES_DONE) != 0, start = arg.depot == 0 && word_of(t, RULES_STEPS) == 0;
    float scalar = arg.depot != 0 ? at(arg.scalar, t) : 1;
    if (arg.depot == 0)
        first = slot * arg.N + word_of(t, RULES_FIRST);
    [[dont_unroll]] for (uint column = chunk_column(0); column < D; column += CHUNK) {
        vec2 q = row_load(arg.fixed_, slot, column);
        if (!done && !start)
            q += row_load(arg.current, current, column);
        if (!done && !start && arg.depot == 0)
            q += row_load(arg.first, first, column);
        if (!done && (start || arg.depot != 0))
            q += scalar * load2(arg.extra, (extra + column) / 2);
        row_store(arg.q, t, column, q);
    }
}
