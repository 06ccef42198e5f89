#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/head.glsl"
ARGUMENTS(attention_back);
layout(constant_id = 3) const uint N = 20;
layout(constant_id = 4) const bool DENSE = true;   // every segment has N rows
layout(constant_id = 5) const bool EXTRA = true;   // dlogits is given
layout(constant_id = 6) const bool EXTRA_V = true; // dv is given

// The gradient of attention for few nodes and small heads on CPUs: every lane works through one head of one segment,
// whose keys, values and their gradients stay in private memory.
float k[N][CH], v[N][CH], dk[N][CH], dv[N][CH], q[CH], dmix[CH], dq[CH], p[N], g[N];
uint first, n, head, width;

uint row_of(uint j) { return (first + (DENSE || j < n ? j : 0)) * width + head; }

void load_row(ptr from, uint i, out float x[N]) {
    [[unroll]] for (uint j = 0; j < N; j += 2 - N % 2) {
        if (N % 2 == 0) {
            vec2 pair = load2(from, (i + j) / 2);
            x[j] = pair.x;
            x[j + 1] = pair.y;
        } else {
            x[j] = at(from, i + j);
        }
    }
}

// p = softmax of the row, g = gradient of its logits
void weights(uint logits) {
    float most = LOWEST, total = 0, mean = 0;
    load_row(arg.logits, logits, p);
    [[unroll]] for (uint j = 0; j < N; j++) {
        p[j] = DENSE || j < n ? p[j] : LOWEST;
        most = max(most, p[j]);
    }
    [[unroll]] for (uint j = 0; j < N; j++) {
        p[j] = exp(p[j] - most);
        total += p[j];
    }
    total = 1 / total;
    [[unroll]] for (uint j = 0; j < N; j++) {
        p[j] *= total;
        g[j] = 0;
        [[unroll]] for (uint c = 0; c < CH; c++)
            g[j] += dmix[c] * v[j][c];
        mean += p[j] * g[j];
    }
    [[unroll]] for (uint j = 0; j < N; j++)
        g[j] = p[j] * (g[j] - mean);
    if (EXTRA) {
        float extra[N];
        load_row(arg.dlogits, logits, extra);
        [[unroll]] for (uint j = 0; j < N; j++)
            g[j] += DENSE || j < n ? extra[j] : 0;
    }
}

void back_row() {
    head_clear(dq);
    [[unroll]] for (uint j = 0; j < N; j++) {
        g[j] *= SCALE;
        [[unroll]] for (uint c = 0; c < CH; c++) {
            dq[c] += g[j] * k[j][c];
            dk[j][c] += g[j] * q[c];
            dv[j][c] += p[j] * dmix[c];
        }
    }
}

void main() {
    uint s = (worker() * LANES + lane()) / arg.H, h = (worker() * LANES + lane()) % arg.H, D = arg.H * DK;
    if (s >= arg.S)
        return;
    first = segment_first(arg.first, s, N);
    n = segment_rows(arg.rows, s, N);
    if (n == 0)
        return;
    head = h * DK;
    width = 3 * D;
    [[unroll]] for (uint j = 0; j < N; j++) {
        head_load(arg.qkv, row_of(j) + D, 0, k[j]);
        head_load(arg.qkv, row_of(j) + 2 * D, 0, v[j]);
        head_clear(dk[j]);
        head_clear(dv[j]);
    }
    for (uint i = 0; i < n; i++) {
        head_load(arg.qkv, row_of(i), 0, q);
        head_load(arg.dmix, (first + i) * D + head, 0, dmix);
        weights(((s * arg.H + h) * N + i) * N);
        back_row();
        head_store(arg.dqkv, row_of(i), 0, dq);
    }
    [[unroll]] for (uint j = 0; j < N; j++) {
        if (DENSE || j < n) {
            head_store(arg.dqkv, row_of(j) + D, 0, dk[j]);
            if (EXTRA_V) {
                float extra[CH];
                head_load(arg.dv, (first + j) * D + head, 0, extra);
                [[unroll]] for (uint c = 0; c < CH; c++)
                    dv[j][c] += extra[c];
            }
            head_store(arg.dqkv, row_of(j) + 2 * D, 0, dv[j]);
        }
    }
}
