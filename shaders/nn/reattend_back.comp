#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/head.glsl"
#include "lib/spread.glsl"
ARGUMENTS(reattend_back);

// worker = one head of one instance; it goes through the instance's trajectories in order, TILE rows at a time, with lanes
// along the kept keys: maximum, sums, then gradients.
float v[CH], dv[CH], dmix[EACH], p[TILE], g[TILE], most[TILE], total[TILE], mean[TILE];
uint logits[TILE], b, h, t, first, n, kept, key;

uint word_of(uint w) {
    uint bits = at_u(arg.keys, t * arg.W + w), past = arg.N - 32 * w;
    return past < 32 ? bits & ((1u << past) - 1) : bits;
}
// The rank-th kept key, counted from 0; rank < kept.
uint nth_key(uint rank) {
    uint w = 0, bits = word_of(0);
    for (uint c = bitCount(bits); rank >= c; c = bitCount(bits)) {
        rank -= c;
        bits = word_of(++w);
    }
    uint low = 0;
    [[unroll]] for (uint half_ = 16; half_ > 0; half_ /= 2) {
        uint c = bitCount(bits & (((1u << half_) - 1) << low));
        low += rank >= c ? half_ : 0;
        rank -= rank >= c ? c : 0;
    }
    return 32 * w + low;
}

void load_dmix(uint r0, uint block) {
    tile_load(arg.dmix, (first + min(r0 + lane() % TILE, n - 1)) * arg.H * DK + h * DK, block, dmix);
}
// p = logits, LOWEST for lanes without a key
void load_logits(uint j0) {
    key = nth_key(min(j0 + lane(), kept - 1));
    [[unroll]] for (uint r = 0; r < TILE; r++)
        p[r] = j0 + lane() < kept ? at(arg.logits, logits[r] + key) : LOWEST;
}
// p = exp(logit - most), g = dmix . v
void weights(uint j0, uint r0) {
    load_logits(j0);
    [[unroll]] for (uint r = 0; r < TILE; r++) {
        p[r] = j0 + lane() < kept ? exp(p[r] - most[r]) : 0;
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
void add_gradients(uint j0, uint r0) {
    [[unroll]] for (uint r = 0; r < TILE; r++) {
        p[r] = r0 + r < n ? p[r] * total[r] : 0;
        if (j0 + lane() < kept && r0 + r < n)
            at(arg.dlogits, logits[r] + key) += p[r] * (g[r] - mean[r]);
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
        if (j0 + lane() < kept)
            head_store(arg.dv, row, block, dv);
    }
}

void back_rows(uint r0) {
    [[unroll]] for (uint r = 0; r < TILE; r++) {
        uint row = min(r0 + r, n - 1), i = is_none(arg.node) ? row : at_u(arg.node, first + row);
        logits[r] = ((b * arg.H + h) * arg.N + i) * arg.N;
        most[r] = LOWEST;
        total[r] = 0;
        mean[r] = 0;
    }
    for (uint j0 = 0; j0 < kept; j0 += LANES) {
        load_logits(j0);
        [[unroll]] for (uint r = 0; r < TILE; r++)
            most[r] = max(most[r], p[r]);
    }
    [[unroll]] for (uint r = 0; r < TILE; r++)
        most[r] = subgroupMax(most[r]);
    if (BLOCKS == 1)
        load_dmix(r0, 0);
    for (uint j0 = 0; j0 < kept; j0 += LANES) {
        weights(j0, r0);
        [[unroll]] for (uint r = 0; r < TILE; r++) {
            total[r] += p[r];
            mean[r] += p[r] * g[r];
        }
    }
    [[unroll]] for (uint r = 0; r < TILE; r++) {
        total[r] = 1 / subgroupAdd(total[r]);
        mean[r] = subgroupAdd(mean[r]) * total[r];
    }
    for (uint j0 = 0; j0 < kept; j0 += LANES) {
        weights(j0, r0);
        add_gradients(j0, r0);
    }
}

void main() {
    b = worker() / arg.H;
    h = worker() % arg.H;
    if (b >= arg.B)
        return;
    for (uint k = 0; k < arg.M * arg.S; k++) {
        t = (k / arg.S * arg.B + b) * arg.S + k % arg.S;
        first = segment_first(arg.first, t, arg.most);
        n = segment_rows(arg.rows, t, arg.most);
        kept = 0;
        for (uint w = 0; w < arg.W; w++)
            kept += bitCount(word_of(w));
        for (uint r0 = 0; kept > 0 && r0 < n; r0 += TILE)
            back_rows(r0);
    }
}
