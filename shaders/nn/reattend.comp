#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/head.glsl"
ARGUMENTS(reattend);
#include "lib/relevant.glsl"
layout(constant_id = REATTEND_ROWS) const uint ROWS = 2; // rows handled together

// Every lane works on ROWS rows of one head of one trajectory and goes through the relevant keys, one after the other:
// worker = (block of rows, LANES pairs of trajectory and head).
float acc[ROWS][CH], v[CH], shift[ROWS], largest[ROWS], total[ROWS];
uint logits[ROWS], t, values;

void mix_rows(uint block) {
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        total[r] = 0;
        head_clear(acc[r]);
    }
    EACH_KEPT(j, t) {
        head_load(arg.qkv, values + j * 3 * arg.H * DK, block, v);
        [[unroll]] for (uint r = 0; r < ROWS; r++) {
            float x = at(arg.logits, logits[r] + j), weight = exp(x - shift[r]);
            largest[r] = max(largest[r], x);
            total[r] += weight;
            [[unroll]] for (uint c = 0; c < CH; c++)
                acc[r][c] += weight * v[c];
        }
    }
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        total[r] = total[r] > 0 ? 1 / total[r] : 0;
        [[unroll]] for (uint c = 0; c < CH; c++)
            acc[r][c] *= total[r];
    }
}

void main() {
    uint blocks = (arg.max_rows + ROWS - 1) / ROWS, lot = worker() / blocks * LANES + lane();
    uint h = lot % arg.H, start = worker() % blocks * ROWS, D = arg.H * DK;
    t = lot / arg.H;
    if (t >= arg.S)
        return;
    uint first = segment_first(arg.first, t, arg.max_rows), n = segment_rows(arg.rows, t, arg.max_rows);
    if (start >= n)
        return;
    uint b = at_u(arg.instance, t), lead = kept_first(t);
    values = b * arg.N * 3 * D + 2 * D + h * DK;
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        uint row = min(start + r, n - 1), i = is_null(arg.node) ? row : at_u(arg.node, first + row);
        logits[r] = ((b * arg.H + h) * arg.N + i) * arg.N;
        largest[r] = shift[r] = at(arg.logits, logits[r] + lead);
    }
    for (bool again = true; again;) {
        for (uint block = 0; block < BLOCKS; block++) {
            mix_rows(block);
            [[unroll]] for (uint r = 0; r < ROWS; r++) {
                if (start + r < n)
                    head_store(arg.mix, (first + start + r) * D + h * DK, block, acc[r]);
            }
        }
        again = false;
        [[unroll]] for (uint r = 0; r < ROWS; r++) {
            again = again || largest[r] - shift[r] > FAR;
            shift[r] = largest[r] - shift[r] > FAR ? largest[r] : shift[r];
        }
    }
}
