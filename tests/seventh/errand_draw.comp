#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rng.glsl"
#include "errand_words.h"
ARGUMENTS(draw);

// Random errands, one subgroup each: the twin of the generator in errand.c.
uvec4 draw(uint purpose, uint index, uint step_) { return rng_draw(arg.seed, purpose, index, 0, step_); }

void main() {
    uint b = worker(), index = at_u(arg.start, 0) + b, high, low;
    if (b >= arg.B)
        return;
    umulExtended(draw(DRAW_SHAPE, index, 0).x, arg.n_max - arg.n_min + 1, high, low);
    uint n = arg.n_min + high;
    for (uint v = lane(); v <= n; v += LANES) {
        uint node = (b * arg.N + v) * NODE_WORDS;
        uvec4 number = v > 0 ? draw(DRAW_NODE, index, v - 1) : draw(DRAW_DEPOT, index, 0);
        at(arg.nodes, node) = rng_unit(number.x);
        at(arg.nodes, node + 1) = rng_unit(number.y);
        at(arg.nodes, node + NODE_DUE) = v > 0 ? 0.5 + rng_unit(number.z) : 0;
        at(arg.nodes, node + NODE_FINE) = v > 0 ? 0.5 * rng_unit(number.w) : 0;
        at(arg.nodes, node + NODE_HOME) = 0;
    }
    at_u(arg.limits, b) = n + 1;
    at(arg.limits, arg.B + b) = float(1 + 2 * n / 3);
}
