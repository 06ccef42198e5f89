#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(context_back);
#include "lib/context.glsl"

// The placeholder's gradient: the sum of dctx (in place of ctx) over the trajectories that have not begun, in order.
// A subgroup for every 2 LANES channels.
void main() {
    uint i = worker() * LANES + lane(), width = arg.C / 2;
    vec2 sum = vec2(0);
    for (uint t = 0; t < arg.T; t++) {
        if (i < width && word_of(t, RULES_DONE) == 0 && word_of(t, RULES_STEPS) == 0)
            sum += load2(arg.ctx, t * width + i);
    }
    if (i < width)
        store2(arg.placeholder, i, load2(arg.placeholder, i) + sum);
}
