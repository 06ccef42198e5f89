// Writes the context of a trajectory: with a depot ctx[t] = (h[current], scalar, 0 ..); without, (h[first], h[current]), or
// the placeholder before the first step. Finished trajectories get zeros. A subgroup per trajectory, lanes along pairs of
// channels.
#include "lib/context.glsl"

uint context_at(uint t, uint v) {
    if (is_null(arg.relevant))
        return at_u(arg.instance, t) * arg.N + v;
    return compact_row(is_null(arg.slot) ? t : at_u(arg.slot, t), v);
}

// The same for a trajectory with these words of its state.
void write_context(uint t, bool done, bool begins, uint current_node, uint first_node, float scalar) {
    uint pairs = arg.D / 2, width = arg.C / 2, to = t * width;
    bool start = arg.depot == 0 && begins;
    uint current = context_at(t, start ? 0 : current_node) * pairs, first = current;
    if (arg.depot == 0 && !start)
        first = context_at(t, first_node) * pairs;
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
            x.x = scalar;
        store2(arg.ctx, to + i, x);
    }
}
