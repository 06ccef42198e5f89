#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/clip.glsl"
#include "lib/lanes.glsl"
ARGUMENTS(pointer);
layout(constant_id = POINTER_PARTS) const uint PARTS = 1;
#define PARTS PARTS
#include "lib/pointer.glsl"

uint first; // pair of the part that is in work

float dyn_of(uint t, uint row, uint slot) { return DYN == 1 ? at(arg.dyn, t * arg.N + node_of(row, slot)) : 0.0; }

// A part of g by channels; saves it and the logarithms of the heads' sums. The softmax is updated row by row.
// With no live row g is 0.
void glimpse(out vec2 g[VECTORS], uint t, uint slot, uint count) {
    vec2 q[VECTORS], wdyn[VECTORS], sum[VECTORS], dyn[VECTORS];
    float max_logit[H], dyn_dot[H];
    load_channels(q, arg.q, t * ROW + first);
    UNROLL for (uint k = 0; k < VECTORS; k++) {
        q[k] *= inversesqrt(float(CHANNELS));
        g[k] = sum[k] = dyn[k] = vec2(0);
    }
    [[unroll]] for (uint h = 0; h < H; h++)
        max_logit[h] = MASKED;
    if (DYN == 1) {
        load_channels(wdyn, arg.wdyn, wdyn_of(t) + first);
        dot_channels(dyn_dot, q, wdyn);
    }
    uint start = 0;
    do {
        uint row = live_row(t, start + lane(), count);
        bool live = start + lane() < count;
        float e[H], less[H], dyn_row = live ? dyn_of(t, row, slot) : 0.0;
        [[unroll]] for (uint h = 0; h < H; h++)
            e[h] = DYN == 1 ? dyn_row * dyn_dot[h] : 0.0;
        dot_rows(e, q, arg.kvl, row * 3 * ROW + first);
        [[unroll]] for (uint h = 0; h < H; h++) {
            float before = max_logit[h];
            max_logit[h] = max(before, lanes_max(live ? e[h] : MASKED));
            less[h] = exp(before - max_logit[h]);
            e[h] = live ? exp(e[h] - max_logit[h]) : 0.0;
        }
        UNROLL for (uint k = 0; k < VECTORS; k++) {
            vec2 x = spread(less, 0, k);
            g[k] *= x, sum[k] *= x, dyn[k] *= x;
        }
        uint j = 0;
        do {
            vec2 v[VECTORS];
            load_channels(v, arg.kvl, subgroupBroadcast(row, j) * 3 * ROW + ROW + first);
            UNROLL for (uint k = 0; k < VECTORS; k++) {
                vec2 a = spread(e, j, k);
                g[k] += a * v[k], sum[k] += a;
                if (DYN == 1)
                    dyn[k] += a * subgroupBroadcast(dyn_row, j);
            }
        } while (++j < LANES && start + j < count);
        start += LANES;
    } while (start < count);
    if (DYN == 1)
        load_channels(wdyn, arg.wdyn, wdyn_of(t) + ROW + first);
    uint sums = saved(t) + PARTS * D + first / PAIRS * H;
    UNROLL for (uint k = 0; k < VECTORS; k++) {
        if (DYN == 1)
            g[k] += dyn[k] * wdyn[k];
        sum[k] = max(sum[k], vec2(1e-30));
        g[k] = count > 0 ? g[k] / sum[k] : vec2(0); // a row that no list names may hold anything
        vec2 log_sum = spread(max_logit, 0, k) + log(sum[k]);
        uint i = k * LANES + lane();
        if (holds(k))
            store2(arg.saved, saved(t) / 2 + first + i, g[k]);
        if (holds(k) && 2 * i % CHANNELS == 0)
            at(arg.saved, sums + 2 * i / CHANNELS) = log_sum.x;
        if (CHANNELS % 2 == 1 && holds(k) && (2 * i + 1) % CHANNELS == 0)
            at(arg.saved, sums + (2 * i + 1) / CHANNELS) = log_sum.y;
        g[k] *= inversesqrt(float(PARTS * D));
    }
}

// Loads a part of g, as glimpse() has saved it: a lane reads what it has written itself.
void load_glimpse(out vec2 g[VECTORS], uint t, uint part) {
    first = part * PAIRS;
    load_channels(g, arg.saved, saved(t) / 2 + first);
    UNROLL for (uint k = 0; k < VECTORS; k++)
        g[k] *= inversesqrt(float(PARTS * D));
}

// The sum over heads, in their order, on top of that of the parts before.
float sum_part(float sum, float x[H], uint part) {
    sum = part == 0 ? x[0] : sum + x[0];
    [[unroll]] for (uint h = 1; h < H; h++)
        sum += x[h];
    return sum;
}

// g . w of the dynamic weights for logit keys.
float dot_weights(vec2 g[VECTORS], uint t) {
    vec2 w[VECTORS];
    float x[H], sum = 0;
    [[dont_unroll]] for (uint part = 0; PARTS > 1 && part < PARTS; part++) {
        load_glimpse(g, t, part);
        load_channels(w, arg.wdyn, wdyn_of(t) + 2 * ROW + first);
        dot_channels(x, g, w);
        sum = sum_part(sum, x, part);
    }
    if (PARTS > 1)
        return sum;
    load_channels(w, arg.wdyn, wdyn_of(t) + 2 * ROW);
    dot_channels(x, g, w);
    return sum_heads(x);
}

// g . L of the lane's row.
float dot_logit_key(vec2 g[VECTORS], uint t, uint row) {
    float x[H], sum = 0;
    [[dont_unroll]] for (uint part = 0; PARTS > 1 && part < PARTS; part++) {
        load_glimpse(g, t, part);
        [[unroll]] for (uint h = 0; h < H; h++)
            x[h] = 0;
        dot_rows(x, g, arg.kvl, row * 3 * ROW + 2 * ROW + first);
        sum = sum_part(sum, x, part);
    }
    if (PARTS > 1)
        return sum;
    [[unroll]] for (uint h = 0; h < H; h++)
        x[h] = 0;
    dot_rows(x, g, arg.kvl, row * 3 * ROW + 2 * ROW);
    return sum_heads(x);
}

void main() {
    uint t = worker();
    if (t >= arg.T)
        return;
    uint slot = is_null(arg.slot) ? t / arg.repeat % arg.S : at_u(arg.slot, t), count = live_rows(t);
    vec2 g[VECTORS];
    first = 0;
    glimpse(g, t, slot, count);
    [[dont_unroll]] for (uint part = 1; part < PARTS; part++) {
        first = part * PAIRS;
        glimpse(g, t, slot, count);
    }

    float dyn_dot = DYN == 1 ? dot_weights(g, t) : 0.0, max_logit = MASKED, sum = 0, logit;
    uint start = 0;
    do {
        uint row = live_row(t, start + lane(), count);
        float dot_ = dot_logit_key(g, t, row);
        if (start + lane() < count) {
            logit = arg.sharp * clipped(dot_ + dyn_of(t, row, slot) * dyn_dot);
            float before = max_logit;
            max_logit = max(max_logit, logit);
            sum = sum * exp(before - max_logit) + exp(logit - max_logit);
            at(arg.logp, t * arg.N + node_of(row, slot)) = logit;
        }
        start += LANES;
    } while (start < count);
    float whole = lanes_max(max_logit), log_sum = log(max(lanes_add(sum * exp(max_logit - whole)), 1e-30));
    for (uint i = lane(); i < count; i += LANES) {
        uint n = t * arg.N + node_of(live_row(t, i, count), slot);
        at(arg.logp, n) = at(arg.logp, n) - whole - log_sum;
    }
    if (lane() == 0)
        at(arg.saved, saved_sum(t)) = whole + log_sum;
}
