#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(collect);

// A lane takes one column.
void main() {
    uint c = worker() * LANES + lane();
    if (c >= arg.C)
        return;
    float sum = at(arg.to, c);
    for (uint r = 0; r < arg.R; r++)
        sum += at(arg.from, r * arg.C + c);
    at(arg.to, c) = sum;
}
