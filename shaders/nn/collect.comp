#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(collect);

// A lane has one column of a group.
void main() {
    uint blocks = (arg.C + LANES - 1) / LANES, g = worker() / blocks, c = worker() % blocks * LANES + lane();
    if (g >= arg.G || c >= arg.C)
        return;
    float sum = at(arg.to, g * arg.stride + c);
    for (uint p = 0; p < arg.P; p++)
        for (uint r = 0; r < arg.R; r++)
            sum += at(arg.from, ((p * arg.G + g) * arg.R + r) * arg.C + c);
    at(arg.to, g * arg.stride + c) = sum;
}
