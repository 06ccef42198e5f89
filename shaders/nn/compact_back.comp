#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(compact_back);

// Each subgroup owns a node of an instance and processes the trajectories that may have a row for it, in order; lanes
// have pairs of channels, a few at a time.
const uint PAIRS = 4;

void main() {
    uint b = worker() / arg.N, v = worker() % arg.N;
    if (b >= arg.B)
        return;
    uint words = (arg.N + 31) / 32, pairs = arg.D / 2, to = (b * arg.N + v) * pairs;
    for (uint start = lane(); start < pairs; start += PAIRS * LANES) {
        vec2 sum[PAIRS];
        [[unroll]] for (uint k = 0; k < PAIRS; k++)
            sum[k] = load2(arg.dx, to + min(start + k * LANES, pairs - 1));
        for (uint i = 0; i < arg.M * arg.S; i++) {
            uint t = (i / arg.S * arg.B + b) * arg.S + i % arg.S, bits = at_u(arg.keys, t * words + v / 32);
            if ((bits >> (v & 31) & 1) == 0 || at_u(arg.rows, t) == 0)
                continue;
            uint row = at_u(arg.first, t) + bitCount(bits & ((1u << (v & 31)) - 1));
            for (uint w = 0; w < v / 32; w++)
                row += bitCount(at_u(arg.keys, t * words + w));
            [[unroll]] for (uint k = 0; k < PAIRS; k++)
                sum[k] += load2(arg.dy, row * pairs + min(start + k * LANES, pairs - 1));
        }
        [[unroll]] for (uint k = 0; k < PAIRS; k++) {
            if (start + k * LANES < pairs)
                store2(arg.dx, to + start + k * LANES, sum[k]);
        }
    }
}
