#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/head.glsl"
ARGUMENTS(reattend);
layout(constant_id = 3) const uint N = 20;
const uint GROUP = 4; // kept keys handled together

// reattend.comp for few nodes and small heads on CPUs: every lane works through one head of one trajectory, whose kept
// values stay in private memory. Sums run in the same order, so the result is the same to the bit.
float v[N][CH], p[N], mix[CH];
uint key[N], kept;

// A loop that runs once or not at all: unlike `if`, it is a branch on Mesa's CPU driver.
#define WHERE(condition) for (bool go = condition; go; go = false)

void load_values(uint bits, uint values) {
    kept = bitCount(bits);
    [[unroll]] for (uint g = 0; g < N; g += GROUP) {
        WHERE(g < kept) {
            [[unroll]] for (uint j = g; j < g + GROUP && j < N; j++) {
                key[j] = bits == 0 ? 0 : findLSB(bits);
                bits &= bits - 1;
                head_load(arg.qkv, values + key[j] * 3 * arg.H * DK, 0, v[j]);
            }
        }
    }
}

void mix_row(uint logits) {
    float most = LOWEST, total = 0;
    head_clear(mix);
    [[unroll]] for (uint g = 0; g < N; g += GROUP) {
        WHERE(g < kept) {
            [[unroll]] for (uint j = g; j < g + GROUP && j < N; j++) {
                p[j] = at(arg.logits, logits + key[j]);
                most = j < kept ? max(most, p[j]) : most;
            }
        }
    }
    [[unroll]] for (uint g = 0; g < N; g += GROUP) {
        WHERE(g < kept) {
            [[unroll]] for (uint j = g; j < g + GROUP && j < N; j++) {
                float weight = j < kept ? exp(p[j] - most) : 0;
                total += weight;
                [[unroll]] for (uint c = 0; c < CH; c++)
                    mix[c] += weight * v[j][c];
            }
        }
    }
    total = kept > 0 ? 1 / total : 0;
    [[unroll]] for (uint c = 0; c < CH; c++)
        mix[c] *= total;
}

void main() {
    uint t = (worker() * LANES + lane()) / arg.H, h = (worker() * LANES + lane()) % arg.H;
    if (t >= arg.S)
        return;
    uint first = segment_first(arg.first, t, arg.most), n = segment_rows(arg.rows, t, arg.most);
    uint b = at_u(arg.instance, t), D = arg.H * DK;
    load_values(at_u(arg.keys, t) & ((1u << N) - 1), b * N * 3 * D + 2 * D + h * DK);
    for (uint r = 0; r < n; r++) {
        uint i = is_none(arg.node) ? r : at_u(arg.node, first + r);
        mix_row(((b * arg.H + h) * N + i) * N);
        head_store(arg.mix, (first + r) * D + h * DK, 0, mix);
    }
}
