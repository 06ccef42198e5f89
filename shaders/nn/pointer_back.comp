#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/lanes.glsl"
ARGUMENTS(pointer_back);
layout(constant_id = POINTER_PARTS) const uint PARTS = 1;
#define PARTS PARTS
#include "lib/pointer.glsl"

// A worker takes one part of a slot's channels and the slot's trajectories in order: nobody else adds to them. Slots
// are in blocks of `per_group * groups / repeat`, with `decisions` of their own.
uint first; // pair of this worker's part

void add_channels(ptr p, uint from, uint k, vec2 x) {
    uint i = from + k * LANES + lane();
    if (holds(k))
        store2(p, i, load2(p, i) + x);
}

// Through the last softmax, the clipping and the logit keys to the glimpse: dg; adds dL and its part of dwdyn.
void logits_back(out vec2 dg[VECTORS], vec2 g[VECTORS], uint s, uint t, uint count) {
    float whole = at(arg.saved, saved_sum(t)), total = 0, dyn = 0;
    for (uint i = lane(); i < count; i += LANES)
        total += at(arg.dlogp, t * arg.N + node_of(live_row(t, i, count), s));
    total = lanes_add(total);
    UNROLL for (uint k = 0; k < VECTORS; k++)
        dg[k] = vec2(0);
    for (uint start = 0; start < count; start += LANES) {
        uint row = live_row(t, start + lane(), count), n = t * arg.N;
        float du = 0;
        if (start + lane() < count) {
            n += node_of(row, s);
            float logp = at(arg.logp, n), th = clamp((logp + whole) / arg.sharp, -1, 1);
            du = (at(arg.dlogp, n) - exp(logp) * total) * arg.sharp * (1 - th) * (1 + th) * inversesqrt(float(PARTS * D));
            if (DYN == 1)
                dyn += du * at(arg.dyn, n);
        }
        uint j = 0;
        do {
            uint from = subgroupBroadcast(row, j) * 3 * ROW + 2 * ROW + first;
            float x = subgroupBroadcast(du, j);
            vec2 l[VECTORS];
            load_channels(l, arg.kvl, from);
            UNROLL for (uint k = 0; k < VECTORS; k++) {
                dg[k] += x * l[k];
                add_channels(arg.dkvl, from, k, x * g[k]);
            }
        } while (++j < LANES && start + j < count);
    }
    if (DYN == 1) {
        vec2 wdyn[VECTORS];
        dyn = lanes_add(dyn);
        load_channels(wdyn, arg.wdyn, wdyn_of(t) + 2 * ROW + first);
        UNROLL for (uint k = 0; k < VECTORS; k++) {
            dg[k] += dyn * wdyn[k];
            add_channels(arg.dwdyn, s * 3 * ROW + 2 * ROW + first, k, dyn * g[k]);
        }
    }
}

// Through the glimpse's softmax to the query: dq by channels; adds dK, dV and their part of dwdyn.
void glimpse_back(out vec2 dq[VECTORS], vec2 dg[VECTORS], vec2 g[VECTORS], uint s, uint t, uint count) {
    vec2 q[VECTORS], wk[VECTORS], wv[VECTORS], dyn_k[VECTORS], dyn_v[VECTORS];
    float mean[H], log_sum[H], dyn_q[H], dyn_g[H];
    load_channels(q, arg.q, t * ROW + first);
    UNROLL for (uint k = 0; k < VECTORS; k++) {
        q[k] *= inversesqrt(float(CHANNELS));
        dq[k] = dyn_k[k] = dyn_v[k] = vec2(0);
    }
    dot_channels(mean, dg, g); // sum_r a_rh (dg_h . V_rh)
    [[unroll]] for (uint h = 0; h < H; h++)
        log_sum[h] = at(arg.saved, saved(t) + PARTS * D + first / PAIRS * H + h);
    if (DYN == 1) {
        load_channels(wk, arg.wdyn, wdyn_of(t) + first);
        load_channels(wv, arg.wdyn, wdyn_of(t) + ROW + first);
        dot_channels(dyn_q, q, wk);
        dot_channels(dyn_g, dg, wv);
    }
    for (uint start = 0; start < count; start += LANES) {
        uint row = live_row(t, start + lane(), count);
        bool live = start + lane() < count;
        float a[H], de[H], dyn = DYN == 1 && live ? at(arg.dyn, t * arg.N + node_of(row, s)) : 0.0;
        [[unroll]] for (uint h = 0; h < H; h++) {
            a[h] = DYN == 1 ? dyn * dyn_q[h] : 0.0;
            de[h] = DYN == 1 ? dyn * dyn_g[h] : 0.0;
        }
        dot_rows(a, q, arg.kvl, row * 3 * ROW + first);
        dot_rows(de, dg, arg.kvl, row * 3 * ROW + ROW + first);
        [[unroll]] for (uint h = 0; h < H; h++) {
            a[h] = exp(a[h] - log_sum[h]);
            de[h] = a[h] * (de[h] - mean[h]);
        }
        uint j = 0;
        do {
            uint from = subgroupBroadcast(row, j) * 3 * ROW + first;
            vec2 key[VECTORS];
            load_channels(key, arg.kvl, from);
            UNROLL for (uint k = 0; k < VECTORS; k++) {
                vec2 x = spread(de, j, k), y = spread(a, j, k);
                dq[k] += x * key[k];
                add_channels(arg.dkvl, from, k, x * q[k]);
                add_channels(arg.dkvl, from + ROW, k, y * dg[k]);
                if (DYN == 1) {
                    dyn_k[k] += x * subgroupBroadcast(dyn, j);
                    dyn_v[k] += y * subgroupBroadcast(dyn, j);
                }
            }
        } while (++j < LANES && start + j < count);
    }
    UNROLL for (uint k = 0; k < VECTORS; k++) {
        if (DYN == 1) {
            dq[k] += dyn_k[k] * wk[k];
            add_channels(arg.dwdyn, s * 3 * ROW + first, k, dyn_k[k] * q[k]);
            add_channels(arg.dwdyn, s * 3 * ROW + ROW + first, k, dyn_v[k] * dg[k]);
        }
        dq[k] *= inversesqrt(float(CHANNELS));
    }
}

void main() {
    uint s = worker() / PARTS;
    first = worker() % PARTS * PAIRS;
    if (s >= arg.S)
        return;
    uint block = arg.per_group * arg.groups / arg.repeat, steps = arg.decisions / arg.repeat;
    for (uint i = 0; i < arg.decisions; i++) {
        uint step = s / block * steps + i / arg.repeat, t = (step * block + s % block) * arg.repeat + i % arg.repeat;
        uint count = live_rows(t);
        vec2 g[VECTORS], dg[VECTORS], dq[VECTORS];
        load_channels(g, arg.saved, saved(t) / 2 + first);
        logits_back(dg, g, s, t, count);
        glimpse_back(dq, dg, g, s, t, count);
        UNROLL for (uint k = 0; k < VECTORS; k++)
            if (holds(k))
                store2(arg.dq, t * ROW + first + k * LANES + lane(), dq[k]);
    }
}
