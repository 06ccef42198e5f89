#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/head.glsl"
ARGUMENTS(attention);
layout(constant_id = 3) const uint N = 20;
layout(constant_id = 4) const bool DENSE = true; // every segment has N rows

// attention.comp for few nodes and small heads on CPUs: every lane works through one head of one segment, whose keys
// and values stay in private memory, so that each number is loaded once and no lane idles. Sums run in the same order,
// so the result is the same to the bit.
float k[N][CH], v[N][CH], q[CH], mix[CH], p[N], lowest = LOWEST;
uint first, n, head, width;

uint row_of(uint j) { return (first + (DENSE || j < n ? j : 0)) * width + head; }

// Cache misses overlap as long as nothing waits for them: first a pair of every row, queries too, then the others.
void load_rows() {
    [[unroll]] for (uint c = 0; c < CH; c += 2) {
        [[unroll]] for (uint j = 0; j < N; j++) {
            vec2 key = pair_load(arg.qkv, row_of(j) + arg.H * DK, c);
            vec2 value = pair_load(arg.qkv, row_of(j) + 2 * arg.H * DK, c);
            k[j][c] = key.x;
            v[j][c] = value.x;
            if (c + 1 < CH) {
                k[j][c + 1] = key.y;
                v[j][c + 1] = value.y;
            }
            if (c == 0)
                lowest = min(lowest, at(arg.qkv, row_of(j))); // changes nothing; keeps the read
        }
    }
}

void mix_row(uint logits) {
    float most = lowest, total = 0;
    [[unroll]] for (uint j = 0; j < N; j++) {
        float sum = 0;
        [[unroll]] for (uint c = 0; c < CH; c++)
            sum += q[c] * SCALE * k[j][c];
        p[j] = DENSE || j < n ? sum : LOWEST;
        most = max(most, p[j]);
    }
    [[unroll]] for (uint j = 0; j < N; j += 2 - N % 2) {
        if (DENSE || j < n) {
            if (N % 2 == 0)
                store2(arg.logits, (logits + j) / 2, vec2(p[j], DENSE || j + 1 < n ? p[j + 1] : 0));
            else
                at(arg.logits, logits + j) = p[j];
        }
    }
    [[unroll]] for (uint j = 0; j < N; j++) {
        p[j] = DENSE || j < n ? exp(p[j] - most) : 0;
        total += p[j];
    }
    total = 1 / total;
    [[unroll]] for (uint c = 0; c < CH; c++) {
        mix[c] = 0;
        [[unroll]] for (uint j = 0; j < N; j++)
            mix[c] += p[j] * v[j][c];
        mix[c] *= total;
    }
}

void main() {
    uint s = (worker() * LANES + lane()) / arg.H, h = (worker() * LANES + lane()) % arg.H;
    if (s >= arg.S)
        return;
    first = segment_first(arg.first, s, N);
    n = segment_rows(arg.rows, s, N);
    if (n == 0)
        return;
    head = h * DK;
    width = 3 * arg.H * DK;
    load_rows();
    for (uint i = 0; i < n; i++) {
        head_load(arg.qkv, row_of(i), 0, q);
        mix_row(((s * arg.H + h) * N + i) * N);
        head_store(arg.mix, (first + i) * arg.H * DK + head, 0, mix);
    }
}
