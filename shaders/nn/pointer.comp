#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/clip.glsl"
#include "lib/lanes.glsl"
ARGUMENTS(pointer);
#include "lib/pointer.glsl"

float dyn_of(uint t, uint row, uint slot) { return DYN == 1 ? at(arg.dyn, t * arg.N + node_of(row, slot)) : 0.0; }

// g by channels; saves it and the logarithms of the heads' sums. The softmax is kept up for the rows so far. With no
// live row g is 0.
void glimpse(out vec2 g[VECTORS], uint t, uint slot, uint count) {
    vec2 q[VECTORS], wdyn[VECTORS], sum[VECTORS], dyn[VECTORS];
    float max_logit[H], dyn_dot[H];
    load_channels(q, arg.q, t * PAIRS);
    UNROLL for (uint k = 0; k < VECTORS; k++) {
        q[k] *= inversesqrt(float(CHANNELS));
        g[k] = sum[k] = dyn[k] = vec2(0);
    }
    [[unroll]] for (uint h = 0; h < H; h++)
        max_logit[h] = MASKED;
    if (DYN == 1) {
        load_channels(wdyn, arg.wdyn, wdyn_of(t));
        dot_channels(dyn_dot, q, wdyn);
    }
    uint start = 0;
    do {
        uint row = live_row(t, start + lane(), count);
        bool live = start + lane() < count;
        float e[H], less[H], dyn_row = live ? dyn_of(t, row, slot) : 0.0;
        [[unroll]] for (uint h = 0; h < H; h++)
            e[h] = DYN == 1 ? dyn_row * dyn_dot[h] : 0.0;
        dot_rows(e, q, arg.kvl, row * 3 * PAIRS);
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
            load_channels(v, arg.kvl, subgroupBroadcast(row, j) * 3 * PAIRS + PAIRS);
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
        load_channels(wdyn, arg.wdyn, PAIRS + wdyn_of(t));
    UNROLL for (uint k = 0; k < VECTORS; k++) {
        if (DYN == 1)
            g[k] += dyn[k] * wdyn[k];
        sum[k] = max(sum[k], vec2(1e-30));
        g[k] /= sum[k];
        vec2 log_sum = spread(max_logit, 0, k) + log(sum[k]);
        uint i = k * LANES + lane();
        if (holds(k))
            store2(arg.saved, saved(t) / 2 + i, g[k]);
        if (holds(k) && 2 * i % CHANNELS == 0)
            at(arg.saved, saved(t) + D + 2 * i / CHANNELS) = log_sum.x;
        if (CHANNELS % 2 == 1 && holds(k) && (2 * i + 1) % CHANNELS == 0)
            at(arg.saved, saved(t) + D + (2 * i + 1) / CHANNELS) = log_sum.y;
        g[k] *= inversesqrt(float(D));
    }
}

void main() {
    uint t = worker();
    if (t >= arg.T)
        return;
    uint slot = is_null(arg.slot) ? t / arg.repeat % arg.S : at_u(arg.slot, t), count = live_rows(t);
    vec2 g[VECTORS], wdyn[VECTORS];
    glimpse(g, t, slot, count);

    float u[H], dyn_dot = 0, max_logit = MASKED, sum = 0, logit;
    if (DYN == 1) {
        load_channels(wdyn, arg.wdyn, 2 * PAIRS + wdyn_of(t));
        dot_channels(u, g, wdyn);
        dyn_dot = sum_heads(u);
    }
    uint start = 0;
    do {
        uint row = live_row(t, start + lane(), count);
        [[unroll]] for (uint h = 0; h < H; h++)
            u[h] = 0;
        dot_rows(u, g, arg.kvl, row * 3 * PAIRS + 2 * PAIRS);
        if (start + lane() < count) {
            logit = arg.sharp * clipped(sum_heads(u) + dyn_of(t, row, slot) * dyn_dot);
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
