#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/branch.glsl"
#include "lib/head.glsl"
#include "lib/spread.glsl"
ARGUMENTS(reattend_back);
#include "lib/relevant.glsl"

// worker = one head of one instance; it goes through the instance's trajectories in order, TILE rows at a time, with
// lanes along the keys: maximum, sums, then gradients.
float v[CH], dv[CH], dmix[EACH], p[TILE], g[TILE], largest[TILE], total[TILE], mean[TILE];
uint logits[TILE], b, h, t, first, n, key;
bool relevant;

void load_dmix(uint r0, uint block) {
    tile_load(arg.dmix, (first + min(r0 + lane() % TILE, n - 1)) * arg.H * DK + h * DK, block, dmix);
}
// The lane's key, whether it is relevant, and p = its logits
void load_logits(uint j0) {
    key = min(j0 + lane(), arg.N - 1);
    relevant = j0 + lane() < arg.N && (relevant_word(t, key / 32) >> key % 32 & 1) == 1;
    [[unroll]] for (uint r = 0; r < TILE; r++)
        p[r] = relevant ? at(arg.logits, logits[r] + key) : LOWEST;
}
// p = exp(logit - largest), g = dmix . v
void weights(uint j0, uint r0) {
    load_logits(j0);
    [[unroll]] for (uint r = 0; r < TILE; r++) {
        p[r] = relevant ? exp(p[r] - largest[r]) : 0;
        g[r] = 0;
    }
    for (uint block = 0; block < BLOCKS; block++) {
        if (BLOCKS > 1)
            load_dmix(r0, block);
        head_load(arg.qkv, (b * arg.N + key) * 3 * arg.H * DK + 2 * arg.H * DK + h * DK, block, v);
        [[unroll]] for (uint r = 0; r < TILE; r++) {
            [[unroll]] for (uint c = 0; c < CH; c++)
                g[r] += spread(dmix, r, c) * v[c];
        }
    }
}
void add_gradients(uint r0, float scale[TILE], float center[TILE]) {
    [[unroll]] for (uint r = 0; r < TILE; r++) {
        p[r] = r0 + r < n ? p[r] * scale[r] : 0;
        if (relevant && r0 + r < n)
            at(arg.dlogits, logits[r] + key) += p[r] * (g[r] - center[r]);
    }
    for (uint block = 0; block < BLOCKS; block++) {
        uint row = (b * arg.N + key) * arg.H * DK + h * DK;
        if (BLOCKS > 1)
            load_dmix(r0, block);
        head_load(arg.dv, row, block, dv);
        [[unroll]] for (uint r = 0; r < TILE; r++) {
            [[unroll]] for (uint c = 0; c < CH; c++)
                dv[c] += p[r] * spread(dmix, r, c);
        }
        if (relevant)
            head_store(arg.dv, row, block, dv);
    }
}

void back_rows(uint r0) {
    [[unroll]] for (uint r = 0; r < TILE; r++) {
        uint row = min(r0 + r, n - 1), i = is_null(arg.node) ? row : at_u(arg.node, first + row);
        logits[r] = ((b * arg.H + h) * arg.N + i) * arg.N;
        largest[r] = LOWEST;
        total[r] = 0;
        mean[r] = 0;
    }
    for (uint j0 = 0; j0 < arg.N; j0 += LANES) {
        load_logits(j0);
        [[unroll]] for (uint r = 0; r < TILE; r++)
            largest[r] = max(largest[r], p[r]);
    }
    [[unroll]] for (uint r = 0; r < TILE; r++)
        largest[r] = subgroupMax(largest[r]);
    if (BLOCKS == 1)
        load_dmix(r0, 0);
    float scale[TILE], center[TILE];
    [[dont_unroll]] for (uint pass = 0; pass < 2; pass++) { // sums, then gradients: half the code
        for (uint j0 = 0; j0 < arg.N; j0 += LANES) {
            weights(j0, r0);
            [[unroll]] for (uint r = 0; r < TILE; r++) {
                total[r] += p[r];
                mean[r] += p[r] * g[r];
            }
            branch(pass == 1)
                add_gradients(r0, scale, center);
        }
        [[unroll]] for (uint r = 0; r < TILE; r++) {
            scale[r] = 1 / subgroupAdd(total[r]); // not used without a relevant key
            center[r] = subgroupAdd(mean[r]) * scale[r];
        }
    }
}

void main() {
    b = worker() / arg.H;
    h = worker() % arg.H;
    if (b >= arg.B)
        return;
    for (uint k = 0; k < arg.M * arg.S; k++) {
        t = (k / arg.S * arg.B + b) * arg.S + k % arg.S;
        first = segment_first(arg.first, t, arg.max_rows);
        n = segment_rows(arg.rows, t, arg.max_rows);
        for (uint r0 = 0; r0 < n; r0 += TILE)
            back_rows(r0);
    }
}
