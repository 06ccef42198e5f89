#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/segments.glsl"
ARGUMENTS(pointer_live);

// A lane takes one group of trajectories.
void main() {
    uint t = (worker() * LANES + lane()) * arg.group;
    if (t >= arg.T)
        return;
    uint slot = is_null(arg.slot) ? t / arg.repeat % arg.S : at_u(arg.slot, t);
    uint first = segment_first(arg.first, slot, arg.max_rows), rows = segment_rows(arg.rows, slot, arg.max_rows);
    uint words = (arg.N + 31) / 32, list = t * arg.stride + arg.list, count = 0;
    for (uint r = 0; r < rows; r++) {
        uint node = is_null(arg.node) ? r : at_u(arg.node, first + r), bits = 0;
        for (uint k = 0; k < arg.group; k++)
            bits |= at_u(arg.allowed, (t + k) * words + node / 32);
        if ((bits >> node % 32 & 1) != 0)
            at_u(arg.saved, list + ++count) = first + r;
    }
    at_u(arg.saved, list) = count;
    for (uint i = list + 1 + count; i < (t + 1) * arg.stride; i++)
        at_u(arg.saved, i) = 0;
    for (uint n = 0; n < arg.group * arg.N; n++)
        at(arg.logp, t * arg.N + n) = MASKED;
}
