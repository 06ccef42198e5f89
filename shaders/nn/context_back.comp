#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(context);
#include "lib/context.glsl"

// dh[row] += dctx (in place of h and ctx). A subgroup owns the rows of an instance, or of a trajectory with a segment of
// its own, and goes through the trajectories that share them in order.
void add(uint row, uint from, uint pairs) {
    for (uint i = lane(); i < pairs; i += LANES)
        store2(arg.h, row * pairs + i, load2(arg.h, row * pairs + i) + load2(arg.ctx, from + i));
}

void main() {
    uint b = worker();
    if (b >= arg.B)
        return;
    uint pairs = arg.D / 2, width = arg.C / 2;
    for (uint m = 0; m < arg.M; m++) {
        for (uint s = 0; s < arg.S; s++) {
            uint t = (m * arg.B + b) * arg.S + s;
            if (word_of(t, RULES_DONE) != 0 || (arg.depot == 0 && word_of(t, RULES_STEPS) == 0))
                continue;
            uint current = row_of(t, word_of(t, RULES_CURRENT));
            if (arg.depot != 0) {
                add(current, t * width, pairs);
            } else {
                add(row_of(t, word_of(t, RULES_FIRST)), t * width, pairs);
                add(current, t * width + pairs, pairs);
            }
        }
    }
}
