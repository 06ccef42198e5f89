#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/clip.glsl"
ARGUMENTS(pointer_many);
#include "lib/pointer_many.glsl"

// A worker takes up to LANES trajectories of one slot.
uint s, t, first, rows, wdyn;
bool mine; // lanes beyond the last trajectory repeat it and write nothing

uint row_of(uint r) { return first + min(r, rows - 1); }
uint node_of(uint row) { return is_null(arg.node) ? row - first : at_u(arg.node, row); }
bool allowed(uint r, uint node) {
    return r < rows && (at_u(arg.allowed, t * ((arg.N + 31) / 32) + node / 32) >> node % 32 & 1) != 0;
}
float dyn_of(uint node) { return DYN == 1 ? at(arg.dyn, t * arg.N + node) : 0.0; }

// g; saves it and the logarithms of the heads' sums. The softmax is kept up for the rows so far. With no live row g is 0.
void glimpse(out float g[D]) {
    float q[D], most[H], sum[H], dyn_dot[HEADS], dyn_sum[HEADS];
    vec2 x[TILE];
    load_own(q, arg.q, t * PAIRS, inversesqrt(float(CHANNELS)));
    [[unroll]] for (uint c = 0; c < D; c++)
        g[c] = 0;
    [[unroll]] for (uint h = 0; h < H; h++)
        most[h] = MASKED, sum[h] = dyn_dot[h] = dyn_sum[h] = 0;
    if (DYN == 1) {
        load_vector(x, 0, arg.wdyn, wdyn);
        dots(dyn_dot, q, x, 1);
    }
    touch(arg.kvl, first, first + rows);
    [[dont_unroll]] for (uint start = 0; start < rows; start += R) {
        touch(arg.kvl, first + start + R, first + rows);
        float e[HEADS], dyn[R], less[H];
        bool live[R];
        [[unroll]] for (uint r = 0; r < R; r++) {
            uint node = node_of(row_of(start + r));
            live[r] = allowed(start + r, node);
            dyn[r] = dyn_of(node);
            [[unroll]] for (uint h = 0; h < H; h++)
                e[r * H + h] = DYN == 1 ? dyn[r] * dyn_dot[h] : 0.0;
            load_vector(x, r, arg.kvl, row_of(start + r) * 3 * PAIRS);
        }
        dots(e, q, x, R);
        [[unroll]] for (uint h = 0; h < H; h++) {
            float before = most[h];
            [[unroll]] for (uint r = 0; r < R; r++)
                most[h] = max(most[h], live[r] ? e[r * H + h] : MASKED);
            less[h] = exp(before - most[h]);
            sum[h] *= less[h], dyn_sum[h] *= less[h];
            [[unroll]] for (uint r = 0; r < R; r++) {
                float a = live[r] ? exp(e[r * H + h] - most[h]) : 0.0;
                sum[h] += a, e[r * H + h] = a;
                if (DYN == 1)
                    dyn_sum[h] += a * dyn[r];
            }
        }
        [[unroll]] for (uint r = 0; r < R; r++)
            load_vector(x, r, arg.kvl, row_of(start + r) * 3 * PAIRS + PAIRS);
        [[unroll]] for (uint c = 0; c < D; c++)
            g[c] *= less[c / CHANNELS];
        sums(g, e, x, R);
    }
    if (DYN == 1) {
        load_vector(x, 0, arg.wdyn, wdyn + PAIRS);
        sums(g, dyn_sum, x, 1);
    }
    [[unroll]] for (uint h = 0; h < H; h++) {
        sum[h] = max(sum[h], 1e-30);
        if (mine)
            at(arg.saved, saved(t) + D + h) = most[h] + log(sum[h]);
        sum[h] = 1 / sum[h];
    }
    [[unroll]] for (uint c = 0; c < D; c++)
        g[c] *= sum[c / CHANNELS];
    if (mine)
        store_own(arg.saved, saved(t) / 2, g, 1);
}

void main() {
    uint blocks = (arg.turns + LANES - 1) / LANES, i = worker() % blocks * LANES + lane();
    s = aligned(worker() / blocks);
    if (s >= arg.S)
        return;
    mine = i < arg.turns;
    t = trajectory(s, min(i, arg.turns - 1));
    first = segment_first(arg.first, s, arg.N), rows = segment_rows(arg.rows, s, arg.N);
    wdyn = s / arg.each * 3 * PAIRS;
    if (mine && (rows < arg.N || !is_null(arg.node))) // nodes without a row
        for (uint n = 0; n < arg.N; n++)
            at(arg.logp, t * arg.N + n) = MASKED;
    float g[D], u[HEADS], dyn_dot = 0, most = MASKED, sum = 0;
    vec2 x[TILE];
    glimpse(g);
    if (DYN == 1) {
        [[unroll]] for (uint h = 0; h < H; h++)
            u[h] = 0;
        load_vector(x, 0, arg.wdyn, wdyn + 2 * PAIRS);
        dots(u, g, x, 1);
        [[unroll]] for (uint h = 0; h < H; h++)
            dyn_dot += u[h];
    }
    [[dont_unroll]] for (uint start = 0; start < rows; start += R) {
        [[unroll]] for (uint r = 0; r < R; r++) {
            load_vector(x, r, arg.kvl, row_of(start + r) * 3 * PAIRS + 2 * PAIRS);
            [[unroll]] for (uint h = 0; h < H; h++)
                u[r * H + h] = 0;
        }
        dots(u, g, x, R);
        [[unroll]] for (uint r = 0; r < R; r++) {
            uint node = node_of(row_of(start + r));
            bool live = allowed(start + r, node);
            float dot_ = dyn_of(node) * dyn_dot;
            [[unroll]] for (uint h = 0; h < H; h++)
                dot_ += u[r * H + h];
            float logit = live ? arg.sharp * clipped(dot_ * inversesqrt(float(D))) : MASKED, before = most;
            most = max(most, logit);
            sum = sum * exp(before - most) + (live ? exp(logit - most) : 0.0);
            if (mine && start + r < rows)
                at(arg.logp, t * arg.N + node) = logit;
        }
    }
    float log_sum = log(max(sum, 1e-30));
    if (zero() != 0) // never: for the compiler, which would leave out what it finds unused
        at_u(arg.logp, 0) = touched;
    if (!mine)
        return;
    at(arg.saved, saved_sum(t)) = most + log_sum;
    [[dont_unroll]] for (uint n = 0; n < arg.N; n++) {
        float logit = at(arg.logp, t * arg.N + n);
        at(arg.logp, t * arg.N + n) = logit == MASKED ? MASKED : logit - most - log_sum;
    }
}
