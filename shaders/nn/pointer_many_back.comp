#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(pointer_many_back);
#include "lib/pointer_many.glsl"
#include "lib/pointer_scratch.glsl"

// A worker takes up to LANES trajectories of one slot, all steps together: dq, and what pointer_many_rows needs.
uint s, t, first, rows, wdyn, block;
bool mine; // lanes beyond the last trajectory repeat it, write no dq, and count for nothing in the scratch

uint row_of(uint r) { return first + min(r, rows - 1); }
uint element(uint r) { return t * arg.N + (is_null(arg.node) ? min(r, rows - 1) : at_u(arg.node, row_of(r))); }
bool live_at(uint r, uint i) { return mine && r < rows && at(arg.logp, i) != MASKED; }
float dyn_of(uint i) { return DYN == 1 ? at(arg.dyn, i) : 0.0; }
void put(uint r, uint i, vec2 x) { store2(arg.scratch, coefficients_at(block, r, lane()) / 2 + i, x); }
void put_heads(uint r, uint from, float x[HEADS], uint k, float scale) {
    [[unroll]] for (uint h = 0; h < H; h += 2)
        put(r, (from + h) / 2, vec2(x[k * H + h], h + 1 < H ? x[k * H + min(h + 1, H - 1)] : 0.0) * scale);
}

// Through the last softmax, the clipping and the logit keys to the glimpse: dg; leaves du.
void logits_back(out float dg[WIDE]) {
    float whole = at(arg.saved, saved_sum(t)), total = 0, dyn = 0, du[HEADS];
    vec2 l[TILE];
    [[dont_unroll]] for (uint r = 0; r < rows; r++) {
        uint i = element(r);
        total += live_at(r, i) ? at(arg.dlogp, i) : 0.0;
    }
    [[unroll]] for (uint c = 0; c < WIDE; c++)
        dg[c] = 0;
    [[dont_unroll]] for (uint start = 0; start < rows; start += R) {
        [[unroll]] for (uint r = 0; r < R; r++) {
            uint i = element(start + r);
            float logp = at(arg.logp, i), th = clamp((logp + whole) / arg.sharp, -1, 1);
            float x = (at(arg.dlogp, i) - exp(logp) * total) * arg.sharp * (1 - th) * (1 + th) * inversesqrt(float(D));
            x = live_at(start + r, i) ? x : 0.0;
            [[unroll]] for (uint h = 0; h < H; h++)
                du[r * H + h] = x;
            if (DYN == 1)
                dyn += x * dyn_of(i);
            if (start + r < rows)
                put(start + r, EVEN, vec2(x));
            load_vector(l, r, arg.kvl, row_of(start + r) * 3 * PAIRS + 2 * PAIRS);
        }
        sums(dg, du, l, R);
    }
    if (DYN == 1) {
        put(rows, EVEN, vec2(dyn));
        load_vector(l, 0, arg.wdyn, wdyn + 2 * PAIRS);
        [[unroll]] for (uint h = 0; h < H; h++)
            du[h] = dyn;
        sums(dg, du, l, 1);
    }
    store_own(arg.scratch, dg_at(block, lane()) / 2, dg, 1);
}

// Through the glimpse's softmax to the query: dq; leaves de and a.
void glimpse_back(out float dq[WIDE], float dg[WIDE]) {
    const float scale = inversesqrt(float(CHANNELS));
    float q[WIDE], mean[H], log_sum[H], dyn_q[HEADS], dyn_g[HEADS], dyn_k[HEADS], dyn_v[HEADS];
    vec2 key[TILE], value[TILE];
    load_own(q, arg.q, t * PAIRS, scale);
    [[unroll]] for (uint h = 0; h < H; h++) {
        mean[h] = dyn_q[h] = dyn_g[h] = dyn_k[h] = dyn_v[h] = 0;
        log_sum[h] = at(arg.saved, saved(t) + D + h);
    }
    [[unroll]] for (uint i = 0; i < PAIRS; i++) { // sum_r a_rh (dg_h . V_rh)
        vec2 g = load2(arg.saved, saved(t) / 2 + i);
        mean[2 * i / CHANNELS] += dg[2 * i] * g.x;
        mean[(2 * i + 1) / CHANNELS] += dg[2 * i + 1] * g.y;
    }
    [[unroll]] for (uint c = 0; c < WIDE; c++)
        dq[c] = 0;
    if (DYN == 1) {
        load_vector(key, 0, arg.wdyn, wdyn);
        load_vector(value, 0, arg.wdyn, wdyn + PAIRS);
        dots(dyn_q, q, key, 1);
        dots(dyn_g, dg, value, 1);
    }
    [[dont_unroll]] for (uint start = 0; start < rows; start += R) {
        float a[HEADS], de[HEADS];
        [[unroll]] for (uint r = 0; r < R; r++) {
            float dyn = dyn_of(element(start + r));
            [[unroll]] for (uint h = 0; h < H; h++) {
                a[r * H + h] = DYN == 1 ? dyn * dyn_q[h] : 0.0;
                de[r * H + h] = DYN == 1 ? dyn * dyn_g[h] : 0.0;
            }
            load_vector(key, r, arg.kvl, row_of(start + r) * 3 * PAIRS);
            load_vector(value, r, arg.kvl, row_of(start + r) * 3 * PAIRS + PAIRS);
        }
        dots(a, q, key, R);
        dots(de, dg, value, R);
        [[unroll]] for (uint r = 0; r < R; r++) {
            uint i = element(start + r);
            bool live = live_at(start + r, i);
            [[unroll]] for (uint h = 0; h < H; h++) {
                a[r * H + h] = live ? exp(a[r * H + h] - log_sum[h]) : 0.0;
                de[r * H + h] = a[r * H + h] * (de[r * H + h] - mean[h]);
                if (DYN == 1)
                    dyn_k[h] += de[r * H + h] * dyn_of(i), dyn_v[h] += a[r * H + h] * dyn_of(i);
            }
            if (start + r < rows) {
                put_heads(start + r, 0, de, r, scale);
                put_heads(start + r, EVEN, a, r, 1);
            }
        }
        sums(dq, de, key, R);
    }
    if (DYN == 1) {
        put_heads(rows, 0, dyn_k, 0, scale);
        put_heads(rows, EVEN, dyn_v, 0, 1);
        load_vector(key, 0, arg.wdyn, wdyn);
        sums(dq, dyn_k, key, 1);
    }
    if (mine)
        store_own(arg.dq, t * PAIRS, dq, scale);
}

void main() {
    uint blocks = (arg.turns + LANES - 1) / LANES, i = worker() % blocks * LANES + lane();
    block = aligned(worker());
    s = arg.begin + block / blocks;
    if (s >= arg.end)
        return;
    mine = i < arg.turns;
    t = trajectory(s, min(i, arg.turns - 1));
    first = segment_first(arg.first, s, arg.N), rows = segment_rows(arg.rows, s, arg.N);
    wdyn = s / arg.each * 3 * PAIRS;
    float dg[WIDE], dq[WIDE];
    logits_back(dg);
    glimpse_back(dq, dg);
}
