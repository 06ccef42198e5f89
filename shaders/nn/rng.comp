#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rng.glsl"
ARGUMENTS(rng);

void main() {
    uint i = worker() * LANES + lane();
    if (i >= arg.count)
        return;
    uvec4 number = rng_draw(arg.seed, arg.purpose, arg.instance, arg.decoder, i);
    [[unroll]] for (int k = 0; k < 4; k++)
        at_u(arg.to, 4 * i + k) = number[k];
}
