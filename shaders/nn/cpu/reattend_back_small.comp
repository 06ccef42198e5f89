#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/head.glsl"
ARGUMENTS(reattend_back);
layout(constant_id = REATTEND_N) const uint N = 20;

// reattend_back.comp for few nodes and small heads on CPUs: every lane works through one head of one instance, whose
// values and their gradients stay in private memory.
float v[N][CH], dv[N][CH], p[N], g[N], dmix[CH];

// p = weights of the relevant keys, g = gradients of their logits
void weights(uint logits, uint bits) {
    float largest = LOWEST, total = 0, mean = 0;
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
    [[unroll]] for (uint j = 0; j < N; j++) {
        p[j] = (bits >> j & 1) == 1 ? exp(p[j] - largest) : 0;
        total += p[j];
        g[j] = 0;
        [[unroll]] for (uint c = 0; c < CH; c++)
            g[j] += dmix[c] * v[j][c];
        mean += p[j] * g[j];
    }
    total = bits != 0 ? 1 / total : 0;
    mean *= total;
    [[unroll]] for (uint j = 0; j < N; j++) {
        p[j] *= total;
        g[j] = p[j] * (g[j] - mean);
    }
}

void add_row(uint logits) {
    [[unroll]] for (uint j = 0; j < N; j += 2 - N % 2) {
        if (N % 2 == 0)
            store2(arg.dlogits, (logits + j) / 2, load2(arg.dlogits, (logits + j) / 2) + vec2(g[j], g[j + 1]));
        else
            at(arg.dlogits, logits + j) += g[j];
    }
    [[unroll]] for (uint j = 0; j < N; j++) {
        [[unroll]] for (uint c = 0; c < CH; c++)
            dv[j][c] += p[j] * dmix[c];
    }
}

void main() {
    uint b = (worker() * LANES + lane()) / arg.H, h = (worker() * LANES + lane()) % arg.H, D = arg.H * DK;
    if (b >= arg.B)
        return;
    [[unroll]] for (uint j = 0; j < N; j++) {
        head_load(arg.qkv, (b * N + j) * 3 * D + 2 * D + h * DK, 0, v[j]);
        head_load(arg.dv, (b * N + j) * D + h * DK, 0, dv[j]);
    }
    for (uint k = 0; k < arg.M * arg.S; k++) {
        uint t = (k / arg.S * arg.B + b) * arg.S + k % arg.S;
        uint first = segment_first(arg.first, t, arg.max_rows), n = segment_rows(arg.rows, t, arg.max_rows);
        uint bits = at_u(arg.keys, t) & ((1u << N) - 1);
        for (uint r = 0; r < n; r++) {
            uint i = is_null(arg.node) ? r : at_u(arg.node, first + r), logits = ((b * arg.H + h) * N + i) * N;
            head_load(arg.dmix, (first + r) * D + h * DK, 0, dmix);
            weights(logits, bits);
            add_row(logits);
        }
    }
    [[unroll]] for (uint j = 0; j < N; j++)
        head_store(arg.dv, (b * N + j) * D + h * DK, 0, dv[j]);
}
