// The pointer's form for CPUs where a few trajectories share a slot; included behind lib/pointer.glsl and lib/cpu/touch.glsl.
// A worker takes TS of them, and what it reads of a row serves them all. The rows are those that any of them may go to,
// but nothing that a trajectory gets depends on the others: sums go through the rows in their order, and weights are
// multiples of powers of two.
#include "lib/clip.glsl"
#include "lib/cpu/pointer_dots.glsl"
#include "lib/cpu/power.glsl"
const uint TOGETHER = 4; // values that are read at once

uint lead; // the first of the worker's trajectories
float dyn_of(uint k, uint row, uint slot) { return DYN == 1 ? at(arg.dyn, (lead + k) * arg.N + node_of(row, slot)) : 0.0; }
bool is_open(uint k, uint node) {
    return (at_u(arg.allowed, (lead + k) * ((arg.N + 31) / 32) + node / 32) >> node % 32 & 1) != 0;
}
// The same of a vector that all lanes share.
void dots_shared(out float sum[HEADS], vec2 x[ALL], vec2 y[VECTORS]) {
    [[unroll]] for (uint k = 0; k < TS; k++) {
        vec2 own[VECTORS];
        float heads[H];
        [[unroll]] for (uint i = 0; i < VECTORS; i++)
            own[i] = x[k * VECTORS + i];
        dot_channels(heads, own, y);
        [[unroll]] for (uint h = 0; h < H; h++)
            sum[k * H + h] = heads[h];
    }
}

// A sum over rows that is equal for all channels of a head: one of a pair is enough unless these are of two heads.
const bool PAIRED = CHANNELS % 2 == 0;
void add_heads(inout vec2 sum, vec2 x) {
    sum.x += x.x;
    if (!PAIRED)
        sum.y += x.y;
}
vec2 heads_pair(vec2 sum) { return PAIRED ? sum.xx : sum; }

// g by channels, from queries that are scaled. With no live row g is 0.
float query_scale() { return 1.44269504 * inversesqrt(float(CHANNELS)); } // and log2 e
void glimpse(out vec2 g[ALL], vec2 q[ALL], uint slot, uint count) {
    const float FAR = 32;
    vec2 sum[ALL], dyn[ALL], wdyn[VECTORS];
    float shift[HEADS], dyn_dot[HEADS];
    bool has[TS];
    [[unroll]] for (uint i = 0; i < ALL; i++)
        g[i] = sum[i] = dyn[i] = vec2(0);
    [[unroll]] for (uint i = 0; i < HEADS; i++)
        shift[i] = dyn_dot[i] = 0;
    [[unroll]] for (uint k = 0; k < TS; k++)
        has[k] = false;
    if (DYN == 1) {
        load_channels(wdyn, arg.wdyn, wdyn_of(lead));
        dots_shared(dyn_dot, q, wdyn);
    }
    [[dont_unroll]] for (uint start = 0; start < count; start += LANES) {
        uint row = live_row(lead, start + lane(), count), node = node_of(row, slot);
        bool live[TS], moves = false;
        float e[HEADS], dyn_row[TS];
        [[unroll]] for (uint k = 0; k < TS; k++) {
            live[k] = start + lane() < count && is_open(k, node);
            dyn_row[k] = DYN == 1 && live[k] ? dyn_of(k, row, slot) : 0.0;
        }
        [[unroll]] for (uint i = 0; i < HEADS; i++)
            e[i] = DYN == 1 ? dyn_row[i / H] * dyn_dot[i] : 0.0;
        dots(e, q, arg.kvl, row * 3 * PAIRS);
        // Weights are 2^(e - shift); the shift, a whole number, is 0 unless that is far from the first e, or later below.
        [[unroll]] for (uint i = 0; i < HEADS; i++)
            moves = moves || (live[i / H] && abs(floor(e[i]) - shift[i]) > FAR);
        uint flags = moves ? 1u << TS : 0;
        [[unroll]] for (uint k = 0; k < TS; k++)
            flags |= live[k] ? 1u << k : 0;
        flags = lanes_or(flags);
        if (flags >> TS != 0) [[unroll]] for (uint i = 0; i < HEADS; i++) {
            float top = lanes_max(live[i / H] ? floor(e[i]) : MASKED), to = shift[i];
            if (has[i / H] ? top > to + FAR : top != MASKED && abs(top) > FAR)
                to = top;
            float less[H];
            [[unroll]] for (uint h = 0; h < H; h++)
                less[h] = h == i % H ? power(shift[i] - to) : 1.0;
            [[unroll]] for (uint v = 0; v < VECTORS; v++) {
                vec2 x = spread(less, 0, v);
                uint n = i / H * VECTORS + v;
                g[n] *= x, sum[n] *= x, dyn[n] *= x;
            }
            shift[i] = to;
        }
        [[unroll]] for (uint k = 0; k < TS; k++)
            has[k] = has[k] || (flags >> k & 1) != 0;
        [[unroll]] for (uint i = 0; i < HEADS; i++) {
            float whole = floor(e[i]);
            e[i] = live[i / H] ? exp2(e[i] - whole) * power(whole - shift[i]) : 0.0;
        }
        // Beyond the last row weights are 0.
        [[dont_unroll]] for (uint first = 0; first < LANES && start + first < count; first += TOGETHER) {
            vec2 v[TOGETHER * VECTORS], one[VECTORS];
            [[unroll]] for (uint j = 0; j < TOGETHER; j++) {
                load_channels(one, arg.kvl, subgroupBroadcast(row, first + j) * 3 * PAIRS + PAIRS);
                [[unroll]] for (uint i = 0; i < VECTORS; i++)
                    v[j * VECTORS + i] = one[i];
            }
            [[unroll]] for (uint k = 0; k < TS; k++) {
                float heads[H];
                heads_of(heads, e, k);
                [[unroll]] for (uint i = 0; i < VECTORS; i++)
                    [[unroll]] for (uint j = 0; j < TOGETHER; j++) {
                        vec2 a = spread(heads, first + j, i);
                        g[k * VECTORS + i] += a * v[j * VECTORS + i];
                        add_heads(sum[k * VECTORS + i], a);
                        if (DYN == 1)
                            add_heads(dyn[k * VECTORS + i], a * subgroupBroadcast(dyn_row[k], first + j));
                    }
            }
        }
    }
    if (DYN == 1)
        load_channels(wdyn, arg.wdyn, PAIRS + wdyn_of(lead));
    [[unroll]] for (uint i = 0; i < ALL; i++) {
        if (DYN == 1)
            g[i] += heads_pair(dyn[i]) * wdyn[i % VECTORS];
        g[i] = g[i] / max(heads_pair(sum[i]), vec2(1e-30)) * inversesqrt(float(D));
    }
}

// The logits of the listed rows, MASKED where a trajectory may not go, and each one's largest.
void write_logits(out float max_logit[TS], vec2 g[ALL], uint slot, uint count) {
    vec2 wdyn[VECTORS];
    float dyn_dot[HEADS];
    [[unroll]] for (uint k = 0; k < TS; k++)
        max_logit[k] = MASKED;
    if (DYN == 1) {
        load_channels(wdyn, arg.wdyn, 2 * PAIRS + wdyn_of(lead));
        dots_shared(dyn_dot, g, wdyn);
    }
    [[dont_unroll]] for (uint start = 0; start < count; start += LANES) {
        uint row = live_row(lead, start + lane(), count), node = node_of(row, slot);
        float u[HEADS];
        [[unroll]] for (uint i = 0; i < HEADS; i++)
            u[i] = 0;
        dots(u, g, arg.kvl, row * 3 * PAIRS + 2 * PAIRS);
        [[unroll]] for (uint k = 0; k < TS; k++) {
            float heads[H], dot_;
            heads_of(heads, u, k);
            dot_ = sum_heads(heads);
            if (DYN == 1) {
                heads_of(heads, dyn_dot, k);
                dot_ += dyn_of(k, row, slot) * sum_heads(heads);
            }
            if (start + lane() < count) {
                float logit = is_open(k, node) ? arg.sharp * clipped(dot_) : MASKED;
                max_logit[k] = max(max_logit[k], logit);
                at(arg.logp, (lead + k) * arg.N + node) = logit;
            }
        }
    }
    [[unroll]] for (uint k = 0; k < TS; k++)
        max_logit[k] = lanes_max(max_logit[k]);
}

// From logits to log-probabilities.
void write_logp(float max_logit[TS], uint slot, uint count) {
    float sum[TS];
    [[unroll]] for (uint k = 0; k < TS; k++)
        sum[k] = 0;
    [[dont_unroll]] for (uint start = 0; start < count; start += LANES) {
        uint node = node_of(live_row(lead, start + lane(), count), slot);
        [[unroll]] for (uint k = 0; k < TS; k++) {
            float x = start + lane() < count && is_open(k, node) ? exp(at(arg.logp, (lead + k) * arg.N + node) - max_logit[k]) : 0;
            [[unroll]] for (uint j = 0; j < LANES; j++)
                sum[k] += subgroupBroadcast(x, j);
        }
    }
    [[dont_unroll]] for (uint start = 0; start < count; start += LANES) {
        uint node = node_of(live_row(lead, start + lane(), count), slot);
        [[unroll]] for (uint k = 0; k < TS; k++) {
            uint n = (lead + k) * arg.N + node;
            if (start + lane() < count && is_open(k, node))
                at(arg.logp, n) = at(arg.logp, n) - max_logit[k] - log(max(sum[k], 1e-30));
        }
    }
}

// Rows that are wanted soon.
void touch_row(uint row) {
    [[unroll]] for (uint c = 0; c < 3 * D; c += LINE)
        touch(arg.kvl, row * 3 * D + c);
}
