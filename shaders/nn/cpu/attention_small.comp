#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/head.glsl"
#include "lib/cursor.glsl"
#include "lib/cpu/stack.glsl"
#include "lib/cpu/touch.glsl"
ARGUMENTS(attention);
layout(constant_id = ATTENTION_N) const uint N = 20;
layout(constant_id = ATTENTION_DENSE) const bool DENSE = true; // every segment has N rows

// attention.comp for few nodes and small heads on CPUs: every lane works through one head of one segment, so that each
// number is loaded once and no lane idles. First the keys stay in private memory and the logits are made, then the
// values: the keys and values of 16 lanes together would not fit a first-level cache, nor would the code for several
// queries at once. Sums run in the same order, so the result is the same to the bit.
float rows[N][CH], q[CH], mix[CH], p[N];
uint first, n, head, width, logits;

// All of this worker's share of a tensor, `floats` floats for a lane. Only where segment s has rows s N ...
void touch_share(ptr tensor, const uint floats) {
    uint count = arg.S * arg.H * floats, start = worker() * LANES * floats + lane() * LINE;
    if (DENSE && is_null(arg.first)) [[unroll]] for (uint i = 0; i < floats; i += LINE)
        touch(tensor, min(start + i * LANES, count - 1));
}

// Keys (part 1) or values (part 2) of all rows: first a pair of every row, then the others.
void load_rows(uint part) {
    [[unroll]] for (uint c = 0; c < CH; c += 2) {
        [[unroll]] for (uint j = 0; j < N; j++) {
            uint row = first + (DENSE || j < n ? j : 0);
            vec2 pair = read_pair(cursor_at(arg.qkv, row * width + part * arg.H * DK + head), c, DK);
            rows[j][c] = pair.x;
            if (c + 1 < CH)
                rows[j][c + 1] = pair.y;
        }
    }
}
void load_query(uint i) {
    cursor start = cursor_at(arg.qkv, (first + i) * width + head);
    [[unroll]] for (uint c = 0; c < CH; c += 2) {
        vec2 pair = read_pair(start, c, DK);
        q[c] = pair.x * SCALE;
        if (c + 1 < CH)
            q[c + 1] = pair.y * SCALE;
    }
}
// p = logits
void dot_keys() {
    [[unroll]] for (uint c = 0; c < CH; c++) {
        [[unroll]] for (uint j = 0; j < N; j++)
            p[j] = (c == 0 ? 0 : p[j]) + q[c] * rows[j][c];
    }
}
void store_logits(uint i) {
    cursor start = cursor_at(arg.logits, logits + i * N);
    [[unroll]] for (uint j = 0; j < N; j += 2) {
        if (DENSE || j < n)
            write_pair(start, j, N, vec2(p[j], j + 1 < N && (DENSE || j + 1 < n) ? p[j + 1] : 0));
    }
}
void load_logits(uint i) {
    cursor start = cursor_at(arg.logits, logits + i * N);
    [[unroll]] for (uint j = 0; j < N; j += 2) {
        vec2 pair = read_pair(start, j, N);
        p[j] = pair.x;
        if (j + 1 < N)
            p[j + 1] = pair.y;
    }
}
// p = exp(logit - shift); returns the factor that makes their sum 1
float weights() {
    float largest = LOWEST, total = 0;
    [[unroll]] for (uint j = 0; j < N; j++)
        largest = DENSE || j < n ? max(largest, p[j]) : largest;
    float shift = largest - p[0] > FAR ? largest : p[0];
    [[unroll]] for (uint j = 0; j < N; j++) {
        p[j] = DENSE || j < n ? exp(p[j] - shift) : 0;
        total += p[j];
    }
    return 1 / total;
}
void mix_values(float scale) {
    [[unroll]] for (uint j = 0; j < N; j++) {
        [[unroll]] for (uint c = 0; c < CH; c++)
            mix[c] = (j == 0 ? 0 : mix[c]) + p[j] * rows[j][c];
    }
    [[unroll]] for (uint c = 0; c < CH; c++)
        mix[c] *= scale;
}
void store_mix(uint i) {
    cursor start = cursor_at(arg.mix, (first + i) * arg.H * DK + head);
    [[unroll]] for (uint c = 0; c < CH; c += 2)
        write_pair(start, c, DK, vec2(mix[c], c + 1 < CH ? mix[c + 1] : 0));
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
    logits = stack_aligned((s * arg.H + h) * N * N, arg.S);
    touch_share(arg.qkv, 3 * N * DK);
    touch_share(arg.logits, N * N);
    load_rows(1);
    for (uint i = 0; i < n; i++) {
        load_query(i);
        dot_keys();
        store_logits(i);
    }
    touch_share(arg.mix, N * DK);
    load_rows(2);
    for (uint i = 0; i < n; i++) {
        load_logits(i);
        mix_values(weights());
        store_mix(i);
    }
    touch_end(arg.N == 0, arg.mix);
}
