#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/head.glsl"
ARGUMENTS(reattend_back);
#include "lib/relevant.glsl"
layout(constant_id = REATTEND_ROWS) const uint ROWS = 2; // rows handled together

// reattend_back.comp for many instances: every lane works through one head of one instance, ROWS rows at a time, and
// walks through the relevant keys, one after the other: sums, then gradients.
float dmix[ROWS][CH], v[CH], dv[CH], p[ROWS], g[ROWS], shift[ROWS], largest[ROWS], total[ROWS], mean[ROWS];
uint logits[ROWS], b, h, t, first, n, D;

void load_dmix(uint r0, uint block) {
    [[unroll]] for (uint r = 0; r < ROWS; r++)
        head_load(arg.dmix, (first + min(r0 + r, n - 1)) * D + h * DK, block, dmix[r]);
}
// p = exp(logit - shift), g = dmix . v of key j
void weights(uint r0, uint j) {
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        p[r] = at(arg.logits, logits[r] + j);
        largest[r] = max(largest[r], p[r]);
        p[r] = exp(p[r] - shift[r]);
        g[r] = 0;
    }
    for (uint block = 0; block < BLOCKS; block++) {
        if (BLOCKS > 1)
            load_dmix(r0, block);
        head_load(arg.qkv, ((b * arg.N + j) * 3 + 2) * D + h * DK, block, v);
        [[unroll]] for (uint r = 0; r < ROWS; r++) {
            [[unroll]] for (uint c = 0; c < CH; c++)
                g[r] += dmix[r][c] * v[c];
        }
    }
}
void add_gradients(uint r0, uint j) {
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        p[r] = r0 + r < n ? p[r] * total[r] : 0;
        if (r0 + r < n)
            at(arg.dlogits, logits[r] + j) += p[r] * (g[r] - mean[r]);
    }
    for (uint block = 0; block < BLOCKS; block++) {
        if (BLOCKS > 1)
            load_dmix(r0, block);
        head_load(arg.dv, (b * arg.N + j) * D + h * DK, block, dv);
        [[unroll]] for (uint r = 0; r < ROWS; r++) {
            [[unroll]] for (uint c = 0; c < CH; c++)
                dv[c] += p[r] * dmix[r][c];
        }
        head_store(arg.dv, (b * arg.N + j) * D + h * DK, block, dv);
    }
}

void back_rows(uint r0) {
    uint lead = kept_first(t);
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        uint row = min(r0 + r, n - 1), i = is_null(arg.node) ? row : at_u(arg.node, first + row);
        logits[r] = ((b * arg.H + h) * arg.N + i) * arg.N;
        largest[r] = shift[r] = at(arg.logits, logits[r] + lead);
    }
    if (BLOCKS == 1)
        load_dmix(r0, 0);
    for (bool again = true; again;) {
        [[unroll]] for (uint r = 0; r < ROWS; r++)
            total[r] = mean[r] = 0;
        EACH_KEPT(j, t) {
            weights(r0, j);
            [[unroll]] for (uint r = 0; r < ROWS; r++) {
                total[r] += p[r];
                mean[r] += p[r] * g[r];
            }
        }
        again = false;
        [[unroll]] for (uint r = 0; r < ROWS; r++) {
            again = again || largest[r] - shift[r] > FAR;
            shift[r] = largest[r] - shift[r] > FAR ? largest[r] : shift[r];
        }
    }
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        total[r] = 1 / total[r]; // not used without a relevant key
        mean[r] *= total[r];
    }
    EACH_KEPT(j, t) {
        weights(r0, j);
        add_gradients(r0, j);
    }
}

void main() {
    b = (worker() * LANES + lane()) / arg.H;
    h = (worker() * LANES + lane()) % arg.H;
    D = arg.H * DK;
    if (b >= arg.B)
        return;
    for (uint k = 0; k < arg.M * arg.S; k++) {
        t = (k / arg.S * arg.B + b) * arg.S + k % arg.S;
        first = segment_first(arg.first, t, arg.max_rows);
        n = segment_rows(arg.rows, t, arg.max_rows);
        for (uint r0 = 0; r0 < n; r0 += ROWS)
            back_rows(r0);
    }
}
