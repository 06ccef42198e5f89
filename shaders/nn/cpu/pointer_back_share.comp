#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(pointer_back_share);
#include "lib/lanes.glsl"
#include "lib/pointer.glsl"
#include "lib/cpu/pointer_dots.glsl"
#include "lib/cpu/stack.glsl"

// pointer_back.comp for CPUs and slots with a few decisions of one trajectory: a worker takes all TS decisions of a
// slot, and what it reads and writes of a row serves them all.
uint s, first, rows, lead, stride; // decision k is row lead + k stride
float total[TS], whole[TS];        // sums of dlogp, and of the last softmax
bool any_live[TS];

// The lane's row among those from `start` on; after the last, the last.
uint row_at(uint start) { return first + min(start + lane(), rows - 1); }
bool is_live(uint k, uint start, uint node) {
    return start + lane() < rows && any_live[k] && at(arg.logp, (lead + k * stride) * arg.N + node) != MASKED;
}
// The gradient of g . L / sqrt(D).
float du_of(uint k, uint start, uint node) {
    uint n = (lead + k * stride) * arg.N + node;
    float logp = at(arg.logp, n), th = clamp((logp + whole[k]) / arg.sharp, -1, 1);
    float du = (at(arg.dlogp, n) - exp(logp) * total[k]) * arg.sharp * (1 - th) * (1 + th) * inversesqrt(float(D));
    return is_live(k, start, node) ? du : 0.0;
}
void heads_from(out float x[H], vec2 a[ALL], vec2 b[ALL], uint k) {
    vec2 y[VECTORS], z[VECTORS];
    [[unroll]] for (uint v = 0; v < VECTORS; v++)
        y[v] = a[k * VECTORS + v], z[v] = b[k * VECTORS + v];
    dot_channels(x, y, z);
}

void add_totals() {
    [[unroll]] for (uint k = 0; k < TS; k++) {
        uint t = lead + k * stride;
        whole[k] = at(arg.saved, saved_sum(t));
        any_live[k] = live_rows(t) > 0; // other values of decisions that no run reached are undefined
        total[k] = 0;
    }
    [[dont_unroll]] for (uint start = 0; start < rows; start += LANES) {
        uint node = node_of(row_at(start), s);
        [[unroll]] for (uint k = 0; k < TS; k++)
            total[k] += is_live(k, start, node) ? at(arg.dlogp, (lead + k * stride) * arg.N + node) : 0.0;
    }
    [[unroll]] for (uint k = 0; k < TS; k++)
        total[k] = lanes_add(total[k]);
}

// Through the last softmax, the clipping and the logit keys.
void logits_back(out vec2 dg[ALL]) {
    [[unroll]] for (uint i = 0; i < ALL; i++)
        dg[i] = vec2(0);
    [[dont_unroll]] for (uint start = 0; start < rows; start += LANES) {
        uint node = node_of(row_at(start), s);
        float du[TS];
        [[unroll]] for (uint k = 0; k < TS; k++)
            du[k] = du_of(k, start, node);
        [[dont_unroll]] for (uint j = 0; j < LANES && start + j < rows; j++) {
            vec2 l[VECTORS];
            load_channels(l, arg.kvl, (first + start + j) * 3 * PAIRS + 2 * PAIRS);
            [[unroll]] for (uint i = 0; i < ALL; i++)
                dg[i] += subgroupBroadcast(du[i / VECTORS], j) * l[i % VECTORS];
        }
    }
}

// Adds row j of a block to the gradients, of weights a, their gradients de, and du.
void row_back(
    uint row, uint j, float a[HEADS], float de[HEADS], float du[TS], vec2 q[ALL], vec2 g[ALL], vec2 dg[ALL], inout vec2 dq[ALL]) {
    vec2 key[VECTORS], sum[3 * VECTORS];
    uint from = row * 3 * PAIRS;
    load_channels(key, arg.kvl, from);
    [[unroll]] for (uint i = 0; i < 3 * VECTORS; i++)
        sum[i] = load2(arg.dkvl, from + i / VECTORS * PAIRS + (holds(i % VECTORS) ? i % VECTORS * LANES + lane() : 0));
    [[unroll]] for (uint k = 0; k < TS; k++) {
        float weights[H], gradients[H], one = subgroupBroadcast(du[k], j);
        heads_of(weights, a, k);
        heads_of(gradients, de, k);
        [[unroll]] for (uint v = 0; v < VECTORS; v++) {
            uint i = k * VECTORS + v;
            vec2 x = spread(gradients, j, v), y = spread(weights, j, v);
            dq[i] += x * key[v];
            sum[v] += x * q[i];
            sum[VECTORS + v] += y * dg[i];
            sum[2 * VECTORS + v] += one * g[i];
        }
    }
    [[unroll]] for (uint i = 0; i < 3 * VECTORS; i++)
        if (holds(i % VECTORS))
            store2(arg.dkvl, from + i / VECTORS * PAIRS + i % VECTORS * LANES + lane(), sum[i]);
}

// Through the glimpse's softmax to the queries.
void glimpse_back(out vec2 dq[ALL], vec2 q[ALL], vec2 g[ALL], vec2 dg[ALL]) {
    float mean[HEADS], log_sum[HEADS];
    [[unroll]] for (uint i = 0; i < ALL; i++)
        dq[i] = vec2(0);
    [[unroll]] for (uint k = 0; k < TS; k++) {
        float x[H];
        heads_from(x, dg, g, k);
        [[unroll]] for (uint h = 0; h < H; h++) {
            mean[k * H + h] = x[h];
            log_sum[k * H + h] = at(arg.saved, saved(lead + k * stride) + D + h);
        }
    }
    [[dont_unroll]] for (uint start = 0; start < rows; start += LANES) {
        uint row = row_at(start), node = node_of(row, s);
        float a[HEADS], de[HEADS], du[TS];
        [[unroll]] for (uint i = 0; i < HEADS; i++)
            a[i] = de[i] = 0;
        dots(a, q, arg.kvl, row * 3 * PAIRS);
        dots(de, dg, arg.kvl, row * 3 * PAIRS + PAIRS);
        [[unroll]] for (uint k = 0; k < TS; k++) {
            bool live = is_live(k, start, node);
            du[k] = du_of(k, start, node);
            [[unroll]] for (uint i = k * H; i < k * H + H; i++) {
                a[i] = live ? exp(a[i] - log_sum[i]) : 0.0;
                de[i] = live ? a[i] * (de[i] - mean[i]) : 0.0;
            }
        }
        [[dont_unroll]] for (uint j = 0; j < LANES && start + j < rows; j++)
            row_back(first + start + j, j, a, de, du, q, g, dg, dq);
    }
}

void main() {
    s = stack_aligned(worker(), arg.S);
    if (s >= arg.S)
        return;
    first = segment_first(arg.first, s, arg.max_rows), rows = segment_rows(arg.rows, s, arg.max_rows);
    stride = arg.block;
    lead = s / stride * TS * stride + s % stride;
    vec2 q[ALL], g[ALL], dg[ALL], dq[ALL];
    load_all(q, arg.q, lead * PAIRS, stride * PAIRS, inversesqrt(float(CHANNELS)));
    load_all(g, arg.saved, saved(lead) / 2, stride * (POINTER_SAVED(D, H, arg.N) / 2), 1);
    add_totals();
    logits_back(dg);
    glimpse_back(dq, q, g, dg);
    [[unroll]] for (uint i = 0; i < ALL; i++)
        if (holds(i % VECTORS))
            store2(arg.dq, (lead + i / VECTORS * stride) * PAIRS + i % VECTORS * LANES + lane(), dq[i] * inversesqrt(float(CHANNELS)));
}
