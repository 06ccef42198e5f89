#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/lanes.glsl"
ARGUMENTS(pointer_back);
#include "lib/pointer.glsl"

// A worker takes one slot and its trajectories in order: nobody else adds to the slot's rows. Slots are in blocks of
// `each * groups / repeat`, with `decisions` of their own.

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
            du = (at(arg.dlogp, n) - exp(logp) * total) * arg.sharp * (1 - th) * (1 + th) * inversesqrt(float(D));
            if (DYN == 1)
                dyn += du * at(arg.dyn, n);
        }
        uint j = 0;
        do {
            uint from = subgroupBroadcast(row, j) * 3 * PAIRS + 2 * PAIRS;
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
        load_channels(wdyn, arg.wdyn, 2 * PAIRS + wdyn_of(t));
        UNROLL for (uint k = 0; k < VECTORS; k++) {
            dg[k] += dyn * wdyn[k];
            add_channels(arg.dwdyn, s * 3 * PAIRS + 2 * PAIRS, k, dyn * g[k]);
        }
    }
}

// Values of heads that are the same in all lanes, in few registers: lane l has those of heads l, LANES + l, ...
const uint PACKED = (H + LANES - 1) / LANES;
void pack(out float y[PACKED], float x[H]) {
    [[unroll]] for (uint p = 0; p < PACKED; p++)
        y[p] = 0;
    [[unroll]] for (uint h = 0; h < H; h++)
        y[h / LANES] = lane() == h % LANES ? x[h] : y[h / LANES];
}
float packed(float y[PACKED], uint h) { return subgroupBroadcast(y[h / LANES], h % LANES); }
void unpack(out float x[H], float y[PACKED]) {
    [[unroll]] for (uint h = 0; h < H; h++)
        x[h] = packed(y, h);
}
// y += factor x of lane j.
void add_packed(inout float y[PACKED], float x[H], float factor, uint j) {
    float own[H], add[PACKED];
    [[unroll]] for (uint h = 0; h < H; h++)
        own[h] = subgroupBroadcast(x[h], j);
    pack(add, own);
    [[unroll]] for (uint p = 0; p < PACKED; p++)
        y[p] += add[p] * factor;
}

// Through the glimpse's softmax to the query: dq by channels; adds dK, dV and their part of dwdyn.
void glimpse_back(out vec2 dq[VECTORS], vec2 dg[VECTORS], vec2 g[VECTORS], uint s, uint t, uint count) {
    vec2 q[VECTORS], w[VECTORS];
    float x[H], mean[PACKED], log_sum[PACKED], dyn_q[PACKED], dyn_g[PACKED], dyn_k[PACKED], dyn_v[PACKED];
    load_channels(q, arg.q, t * PAIRS);
    UNROLL for (uint k = 0; k < VECTORS; k++) {
        q[k] *= inversesqrt(float(CHANNELS));
        dq[k] = vec2(0);
    }
    [[unroll]] for (uint p = 0; p < PACKED; p++)
        dyn_k[p] = dyn_v[p] = 0;
    dot_channels(x, dg, g); // sum_r a_rh (dg_h . V_rh)
    pack(mean, x);
    [[unroll]] for (uint p = 0; p < PACKED; p++)
        log_sum[p] = at(arg.saved, saved(t) + D + min(p * LANES + lane(), H - 1));
    if (DYN == 1) {
        load_channels(w, arg.wdyn, wdyn_of(t));
        dot_channels(x, q, w);
        pack(dyn_q, x);
        load_channels(w, arg.wdyn, PAIRS + wdyn_of(t));
        dot_channels(x, dg, w);
        pack(dyn_g, x);
    }
    for (uint start = 0; start < count; start += LANES) {
        uint row = live_row(t, start + lane(), count);
        bool live = start + lane() < count;
        float a[H], de[H], dyn = DYN == 1 && live ? at(arg.dyn, t * arg.N + node_of(row, s)) : 0.0;
        [[unroll]] for (uint h = 0; h < H; h++) {
            a[h] = DYN == 1 ? dyn * packed(dyn_q, h) : 0.0;
            de[h] = DYN == 1 ? dyn * packed(dyn_g, h) : 0.0;
        }
        dot_rows(a, q, arg.kvl, row * 3 * PAIRS);
        dot_rows(de, dg, arg.kvl, row * 3 * PAIRS + PAIRS);
        [[unroll]] for (uint h = 0; h < H; h++) {
            a[h] = exp(a[h] - packed(log_sum, h));
            de[h] = a[h] * (de[h] - packed(mean, h));
        }
        uint j = 0;
        do {
            uint from = subgroupBroadcast(row, j) * 3 * PAIRS;
            vec2 key[VECTORS];
            load_channels(key, arg.kvl, from);
            UNROLL for (uint k = 0; k < VECTORS; k++) {
                vec2 x = spread(de, j, k), y = spread(a, j, k);
                dq[k] += x * key[k];
                add_channels(arg.dkvl, from, k, x * q[k]);
                add_channels(arg.dkvl, from + PAIRS, k, y * dg[k]);
            }
            if (DYN == 1) {
                add_packed(dyn_k, de, subgroupBroadcast(dyn, j), j);
                add_packed(dyn_v, a, subgroupBroadcast(dyn, j), j);
            }
        } while (++j < LANES && start + j < count);
    }
    if (DYN == 1) {
        load_channels(w, arg.wdyn, wdyn_of(t));
        unpack(x, dyn_k);
        UNROLL for (uint k = 0; k < VECTORS; k++) {
            vec2 sum = spread(x, 0, k);
            dq[k] += sum * w[k];
            add_channels(arg.dwdyn, s * 3 * PAIRS, k, sum * q[k]);
        }
        unpack(x, dyn_v);
        UNROLL for (uint k = 0; k < VECTORS; k++)
            add_channels(arg.dwdyn, s * 3 * PAIRS + PAIRS, k, spread(x, 0, k) * dg[k]);
    }
    UNROLL for (uint k = 0; k < VECTORS; k++)
        dq[k] *= inversesqrt(float(CHANNELS));
}

void main() {
    uint s = worker();
    if (s >= arg.S)
        return;
    uint block = arg.per_group * arg.groups / arg.repeat, steps = arg.decisions / arg.repeat;
    for (uint i = 0; i < arg.decisions; i++) {
        uint step = s / block * steps + i / arg.repeat, t = (step * block + s % block) * arg.repeat + i % arg.repeat;
        uint count = live_rows(t);
        vec2 g[VECTORS], dg[VECTORS], dq[VECTORS];
        load_channels(g, arg.saved, saved(t) / 2);
        logits_back(dg, g, s, t, count);
        glimpse_back(dq, dg, g, s, t, count);
        UNROLL for (uint k = 0; k < VECTORS; k++)
            if (holds(k))
                store2(arg.dq, t * PAIRS + k * LANES + lane(), dq[k]);
    }
}
