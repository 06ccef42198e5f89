#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/head.glsl"
ARGUMENTS(attention);
layout(constant_id = 3) const uint N = 20;
layout(constant_id = 4) const bool DENSE = true; // every segment has N rows
layout(constant_id = 5) const uint ROWS = 4;     // queries handled together
const uint BLOCK = 4;                            // keys or channels handled together: what registers hold sums for

// attention.comp for few nodes and small heads on CPUs: every lane works through one head of one segment, whose keys
// and values stay in private memory, so that each number is loaded once and no lane idles. Sums run in the same order,
// so the result is the same to the bit.
float k[N][CH], v[N][CH], q[ROWS][CH], mix[ROWS][CH], p[ROWS][N], scale[ROWS];
uint first, n, head, width, logits, row[ROWS], touched = 0;

uint row_of(uint j) { return (first + (DENSE || j < n ? j : 0)) * width + head; }

// Reads a float of each cache line of these rows of the next worker's segments, which mostly is this thread's next:
// waiting for memory would take a fifth of the time.
void touch_ahead() {
    uint next = (worker() + 1) * LANES + lane(), start = min(next / arg.H, arg.S - 1) * N;
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        [[unroll]] for (uint part = 0; part < 3; part++)
            touched |= at_u(arg.qkv, (start + row[r]) * width + part * arg.H * DK + next % arg.H * DK);
    }
}

void load_queries(uint i0) {
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        row[r] = min(i0 + r, n - 1); // past the last, the last again
        head_load(arg.qkv, (first + row[r]) * width + head, 0, q[r]);
        [[unroll]] for (uint c = 0; c < CH; c++)
            q[r][c] *= SCALE;
    }
}
// p = logits
void dot_keys(uint j0) {
    [[unroll]] for (uint c = 0; c < CH; c++) {
        [[unroll]] for (uint j = 0; j < BLOCK; j++) {
            if (j0 + j < N) [[unroll]] for (uint r = 0; r < ROWS; r++)
                p[r][j0 + j] = (c == 0 ? 0 : p[r][j0 + j]) + q[r][c] * k[j0 + j][c];
        }
    }
}
void store_logits(uint r) {
    [[unroll]] for (uint j = 0; j < N; j += 2 - N % 2) {
        if (DENSE || j < n) {
            if (N % 2 == 0)
                store2(arg.logits, (logits + row[r] * N + j) / 2, vec2(p[r][j], DENSE || j + 1 < n ? p[r][j + 1] : 0));
            else
                at(arg.logits, logits + row[r] * N + j) = p[r][j];
        }
    }
}
// p = exp(logit - shift)
void weights(uint r) {
    float most = LOWEST, total = 0;
    [[unroll]] for (uint j = 0; j < N; j++)
        most = DENSE || j < n ? max(most, p[r][j]) : most;
    float shift = most - p[r][0] > FAR ? most : p[r][0];
    [[unroll]] for (uint j = 0; j < N; j++) {
        p[r][j] = DENSE || j < n ? exp(p[r][j] - shift) : 0;
        total += p[r][j];
    }
    scale[r] = 1 / total;
}
void mix_values(uint c0) {
    [[unroll]] for (uint j = 0; j < N; j++) {
        [[unroll]] for (uint c = 0; c < BLOCK; c++) {
            if (c0 + c < CH) [[unroll]] for (uint r = 0; r < ROWS; r++)
                mix[r][c0 + c] = (j == 0 ? 0 : mix[r][c0 + c]) + p[r][j] * v[j][c0 + c];
        }
    }
    [[unroll]] for (uint c = 0; c < BLOCK; c++) {
        if (c0 + c < CH) [[unroll]] for (uint r = 0; r < ROWS; r++)
            mix[r][c0 + c] *= scale[r];
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
    logits = (s * arg.H + h) * N * N;
    [[unroll]] for (uint j = 0; j < N; j++) {
        head_load(arg.qkv, row_of(j) + arg.H * DK, 0, k[j]);
        head_load(arg.qkv, row_of(j) + 2 * arg.H * DK, 0, v[j]);
    }
    for (uint i0 = 0; i0 < n; i0 += ROWS) {
        load_queries(i0);
        if (DENSE)
            touch_ahead();
        [[unroll]] for (uint j = 0; j < N; j += BLOCK)
            dot_keys(j);
        [[unroll]] for (uint r = 0; r < ROWS; r++)
            store_logits(r);
        [[unroll]] for (uint r = 0; r < ROWS; r++)
            weights(r);
        [[unroll]] for (uint c = 0; c < CH; c += BLOCK)
            mix_values(c);
        [[unroll]] for (uint r = 0; r < ROWS; r++)
            head_store(arg.mix, (first + row[r]) * arg.H * DK + head, 0, mix[r]);
    }
    if (arg.N == 0) // never: for the compiler, which would leave out what it finds unused
        at_u(arg.mix, 0) = touched;
}
