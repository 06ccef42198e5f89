#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(compact);

// Writes the nodes of keys[t], in order, to t's rows: node[r] = v, source[r] = instance[t] * N + v. One subgroup per trajectory.
void main() {
    uint t = worker();
    if (t >= arg.T)
        return;
    uint words = (arg.N + 31) / 32, row = at_u(arg.first, t), base = at_u(arg.instance, t) * arg.N;
    for (uint w = 0; w < words; w++) {
        uint bits = at_u(arg.keys, t * words + w);
        if (!is_null(arg.copy) && lane() == 0)
            at_u(arg.copy, t * words + w) = bits;
        for (uint i = lane(); i < 32; i += LANES) {
            if ((bits >> i & 1) == 0)
                continue;
            uint r = row + bitCount(bits & ((1u << i) - 1));
            at_u(arg.node, r) = 32 * w + i;
            at_u(arg.source, r) = base + 32 * w + i;
        }
        row += bitCount(bits);
    }
}
