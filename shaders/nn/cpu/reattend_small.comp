#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/head.glsl"
ARGUMENTS(reattend);
#include "lib/relevant.glsl"
layout(constant_id = REATTEND_N) const uint N = 20;

// reattend.comp for few nodes and small heads on CPUs: every lane works through one head of the trajectories t, t + B,
// t + 2B, ..., which often are of one instance, and keeps that instance's values in private memory. Sums run in the
// same order, so the result is the same to the bit.
float v[N][CH], p[N], mix[CH];

void mix_row(uint logits, uint bits) {
    float shift = at(arg.logits, logits + uint(max(findLSB(bits), 0))), largest = LOWEST, total = 0;
    [[unroll]] for (uint j = 0; j < N; j += 2 - N % 2) {
        if (N % 2 == 0) {
            vec2 pair = load2(arg.logits, (logits + j) / 2);
            p[j] = pair.x;
            p[j + 1] = pair.y;
        } else {
            p[j] = at(arg.logits, logits + j);
        }
    }
    [[unroll]] for (uint j = 0; j < N; j++) {
        p[j] = (bits >> j & 1) == 1 ? p[j] : LOWEST;
        largest = max(largest, p[j]);
    }
    shift = largest - shift > FAR ? largest : shift;
    [[unroll]] for (uint j = 0; j < N; j++) {
        p[j] = (bits >> j & 1) == 1 ? exp(p[j] - shift) : 0;
        total += p[j];
    }
    total = bits != 0 ? 1 / total : 0;
    [[unroll]] for (uint c = 0; c < CH; c++) {
        mix[c] = 0;
        [[unroll]] for (uint j = 0; j < N; j++)
            mix[c] += p[j] * v[j][c];
        mix[c] *= total;
    }
}

void main() {
    uint column = (worker() * LANES + lane()) / arg.H, h = (worker() * LANES + lane()) % arg.H, D = arg.H * DK;
    if (column >= arg.B)
        return;
    uint instance = ~0u;
    for (uint t = column; t < arg.S; t += arg.B) {
        uint first = segment_first(arg.first, t, arg.max_rows), n = segment_rows(arg.rows, t, arg.max_rows);
        uint b = at_u(arg.instance, t), bits = at_u(arg.keys, t) & ((1u << N) - 1);
        for (; instance != b; instance = b) { // a loop is a branch on Mesa's CPU driver, unlike `if`
            [[unroll]] for (uint c = 0; c < CH; c += 2) { // the first pair of every row first: cache misses overlap
                [[unroll]] for (uint j = 0; j < N; j++) {
                    vec2 pair = pair_load(arg.qkv, (b * N + j) * 3 * D + 2 * D + h * DK, c);
                    v[j][c] = pair.x;
                    if (c + 1 < CH)
                        v[j][c + 1] = pair.y;
                }
            }
        }
        for (uint r = 0; r < n; r++) {
            uint i = is_null(arg.node) ? r : at_u(arg.node, first + r);
            mix_row(((b * arg.H + h) * N + i) * N, bits);
            head_store(arg.mix, (first + r) * D + h * DK, 0, mix);
        }
    }
}
