#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(context);
#include "lib/context.glsl"

// With a depot ctx[t] = (h[current], scalar, 0 ..); without, (h[first], h[current]), or the placeholder before the first
// step. Finished trajectories get zeros. A subgroup per trajectory, lanes along pairs of channels.
uint row_of(uint t, uint v) {
    if (is_null(arg.relevant))
        return at_u(arg.instance, t) * arg.N + v;
    return compact_row(is_null(arg.slot) ? t : at_u(arg.slot, t), v);
}

void main() {
    uint t = worker();
    if (t >= arg.T)
        return;
    uint pairs = arg.D / 2, width = arg.C / 2, to = t * width;
    bool done = word_of(t, RULES_DONE) != 0, start = arg.depot == 0 && word_of(t, RULES_STEPS) == 0;
    uint current = row_of(t, start ? 0 : word_of(t, RULES_CURRENT)) * pairs, first = current;
    if (arg.depot == 0 && !start)
        first = row_of(t, word_of(t, RULES_FIRST)) * pairs;
    for (uint i = lane(); i < width; i += LANES) {
        vec2 x = vec2(0);
        if (done)
            x = vec2(0);
        else if (start)
            x = load2(arg.placeholder, i);
        else if (i < pairs)
            x = load2(arg.h, first + i);
        else if (arg.depot == 0)
            x = load2(arg.h, current + i - pairs);
        else if (i == pairs)
            x.x = at(arg.scalar, t);
        store2(arg.ctx, to + i, x);
    }
}
