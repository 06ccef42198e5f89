#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/head.glsl"
ARGUMENTS(attention_back);
layout(constant_id = ATTENTION_N) const uint N = 20;
layout(constant_id = ATTENTION_DENSE) const bool DENSE = true;   // every segment has N rows
layout(constant_id = ATTENTION_BACK_DLOGITS) const bool EXTRA = true;   // dlogits is given
layout(constant_id = ATTENTION_BACK_DV) const bool EXTRA_V = true; // dv is given

// The gradient of attention for few nodes and small heads on CPUs: every lane works through one head of one segment,
// with keys or values and their gradients in private memory. First the values; the gradients g of the logits of row i
// wait where its dq and dk will be (N <= 2 DK), for the keys and queries.
float x[N][CH], dx[N][CH], y[CH], dq[CH], p[N], g[N];
uint first, n, head, D;

uint row_of(uint j) { return (first + (DENSE || j < n ? j : 0)) * 3 * D + head; }
uint slot_of(uint i, uint j) { return row_of(i) + j + (j < DK ? 0 : D - DK); }

// x = keys or values of all rows: first a pair of every row, so that cache misses overlap, then the others
void load_rows(uint column) {
    [[unroll]] for (uint c = 0; c < CH; c += 2) {
        [[unroll]] for (uint j = 0; j < N; j++) {
            vec2 pair = load2(arg.qkv, (row_of(j) + column + c) / 2);
            x[j][c] = pair.x;
            x[j][c + 1] = pair.y;
            dx[j][c] = dx[j][c + 1] = 0;
        }
    }
}
void load_row(ptr from, uint i, out float to[N]) {
    [[unroll]] for (uint j = 0; j < N; j += 2 - N % 2) {
        if (N % 2 == 0) {
            vec2 pair = load2(from, (i + j) / 2);
            to[j] = pair.x;
            to[j + 1] = pair.y;
        } else {
            to[j] = at(from, i + j);
        }
    }
}

// p = softmax of the row, g = gradient of its logits; y is dmix, x the values
void weights(uint logits) {
    float largest = LOWEST, total = 0, mean = 0, extra[N];
    load_row(arg.logits, logits, p);
    if (EXTRA)
        load_row(arg.dlogits, logits, extra);
    [[unroll]] for (uint j = 0; j < N; j++) {
        p[j] = DENSE || j < n ? p[j] : LOWEST;
        largest = max(largest, p[j]);
    }
    [[unroll]] for (uint j = 0; j < N; j++) {
        p[j] = exp(p[j] - largest);
        total += p[j];
        g[j] = 0;
        [[unroll]] for (uint c = 0; c < CH; c++)
            g[j] += y[c] * x[j][c];
        mean += p[j] * g[j];
    }
    total = 1 / total;
    mean *= total;
    [[unroll]] for (uint j = 0; j < N; j++) {
        p[j] *= total;
        g[j] = (p[j] * (g[j] - mean) + (EXTRA && (DENSE || j < n) ? extra[j] : 0)) * SCALE;
    }
}

void back_values(uint logits) {
    load_rows(2 * D);
    for (uint i = 0; i < n; i++) {
        head_load(arg.dmix, (first + i) * D + head, 0, y);
        weights(logits + i * N);
        [[unroll]] for (uint j = 0; j < N; j += 2)
            store2(arg.dqkv, slot_of(i, j) / 2, vec2(g[j], j + 1 < N ? g[j + 1] : 0));
        [[unroll]] for (uint j = 0; j < N; j++) {
            [[unroll]] for (uint c = 0; c < CH; c++)
                dx[j][c] += p[j] * y[c];
        }
    }
    [[unroll]] for (uint j = 0; j < N; j++) {
        if (DENSE || j < n) {
            if (EXTRA_V) {
                head_load(arg.dv, (first + j) * D + head, 0, y);
                [[unroll]] for (uint c = 0; c < CH; c++)
                    dx[j][c] += y[c];
            }
            head_store(arg.dqkv, row_of(j) + 2 * D, 0, dx[j]);
        }
    }
}

void back_keys() {
    load_rows(D);
    for (uint i = 0; i < n; i++) {
        head_load(arg.qkv, row_of(i), 0, y);
        head_clear(dq);
        [[unroll]] for (uint j = 0; j < N; j += 2) {
            vec2 pair = load2(arg.dqkv, slot_of(i, j) / 2);
            g[j] = pair.x;
            if (j + 1 < N)
                g[j + 1] = pair.y;
        }
        [[unroll]] for (uint j = 0; j < N; j++) {
            [[unroll]] for (uint c = 0; c < CH; c++) {
                dq[c] += g[j] * x[j][c];
                dx[j][c] += g[j] * y[c];
            }
        }
        head_store(arg.dqkv, row_of(i), 0, dq);
    }
    [[unroll]] for (uint j = 0; j < N; j++) {
        if (DENSE || j < n)
            head_store(arg.dqkv, row_of(j) + D, 0, dx[j]);
    }
}

void main() {
    uint s = (worker() * LANES + lane()) / arg.H, h = (worker() * LANES + lane()) % arg.H;
    if (s >= arg.S)
        return;
    D = arg.H * DK;
    first = segment_first(arg.first, s, N);
    n = segment_rows(arg.rows, s, N);
    if (n == 0)
        return;
    head = h * DK;
    back_values((s * arg.H + h) * N * N);
    back_keys();
}
