#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/clip.glsl"
#include "lib/lanes.glsl"
ARGUMENTS(pointer_many);
#include "lib/cpu/pointer_many.glsl"
#include "lib/cpu/touch.glsl"

// A worker takes up to LANES trajectories of one slot, and of its rows those that any of these may go to.
uint s, t, first, rows, wdyn;
bool mine; // lanes beyond the last trajectory repeat it and write nothing

uint node_of(uint r) { return is_null(arg.node) ? r : at_u(arg.node, first + r); }
bool allowed(uint node) { return (at_u(arg.allowed, t * ((arg.N + 31) / 32) + node / 32) >> node % 32 & 1) != 0; }
float dyn_of(uint r) { return DYN == 1 ? at(arg.dyn, t * arg.N + node_of(r)) : 0.0; }

// The rows from `start`, a multiple of 32, on that this lane's trajectory may go to: bit r is row start + r.
uint live_from(uint start) {
    uint bits = 0, count = min(rows - start, 32);
    if (is_null(arg.node))
        bits = at_u(arg.allowed, t * ((arg.N + 31) / 32) + start / 32);
    else [[dont_unroll]] for (uint r = 0; r < count; r++)
        bits |= allowed(node_of(start + r)) ? 1u << r : 0;
    return bits & 0xffffffffu >> 32 - count;
}

// A row that is wanted soon: waiting for its cache lines one by one would take a third of the time.
void touch_row(uint row) {
    [[unroll]] for (uint i = 0; i < 3 * D; i += LANES * LINE)
        touch(arg.kvl, row * 3 * D + min(i + lane() * LINE, 3 * D - 1));
}

#include "lib/cpu/pointer_many_glimpse.glsl"

void main() {
    uint blocks = (arg.decisions + LANES - 1) / LANES, i = worker() % blocks * LANES + lane();
    s = aligned(worker() / blocks);
    if (s >= arg.S)
        return;
    mine = i < arg.decisions;
    t = trajectory(s, min(i, arg.decisions - 1));
    first = segment_first(arg.first, s, arg.N), rows = segment_rows(arg.rows, s, arg.N);
    wdyn = s / arg.per_group * 3 * PAIRS;
    bool dense = rows == arg.N && is_null(arg.node);
    if (mine && !dense) // nodes without a row
        [[dont_unroll]] for (uint n = 0; n < arg.N; n++)
            at(arg.logp, t * arg.N + n) = MASKED;
    [[dont_unroll]] for (uint start = 0; start < rows; start += 32) {
        uint any = lanes_or(live_from(start));
        [[dont_unroll]] for (; any != 0; any &= any - 1)
            touch_row(first + start + findLSB(any));
    }
    [[dont_unroll]] for (uint group = 0; group < GROUPS; group++)
        glimpse(group);
    float g[GROUPS][WIDE], u[HEADS], dyn_dot = 0, max_logit = MASKED, sum = 0;
    vec2 x[TILE];
    [[unroll]] for (uint group = 0; group < GROUPS; group++)
        load_own(g[group], arg.saved, saved(t) / 2 + group * HALF, 1);
    if (DYN == 1) {
        [[unroll]] for (uint h = 0; h < G; h++)
            u[h] = 0;
        [[unroll]] for (uint group = 0; group < GROUPS; group++) {
            load_vector(x, 0, arg.wdyn, wdyn + 2 * PAIRS + group * HALF);
            dots(u, g[group], x, 1);
        }
        [[unroll]] for (uint h = 0; h < G; h++)
            dyn_dot += u[h];
    }
    [[dont_unroll]] for (uint start = 0; start < rows; start += 32) {
        uint own = live_from(start), any = lanes_or(own);
        [[dont_unroll]] while (any != 0) {
            uint tile[R];
            bool live[R];
            next(tile, live, start, any, own);
            [[unroll]] for (uint i = 0; i < HEADS; i++)
                u[i] = 0;
            [[unroll]] for (uint group = 0; group < GROUPS; group++) {
                [[unroll]] for (uint r = 0; r < R; r++)
                    load_vector(x, r, arg.kvl, (first + tile[r]) * 3 * PAIRS + 2 * PAIRS + group * HALF);
                dots(u, g[group], x, R);
            }
            [[unroll]] for (uint r = 0; r < R; r++) {
                float dot_ = dyn_of(tile[r]) * dyn_dot;
                [[unroll]] for (uint h = 0; h < G; h++)
                    dot_ += u[r * G + h];
                float logit = live[r] ? arg.sharp * clipped(dot_ * inversesqrt(float(D))) : MASKED, before = max_logit;
                max_logit = max(max_logit, logit);
                sum = sum * exp(before - max_logit) + (live[r] ? exp(logit - max_logit) : 0.0);
                if (mine && live[r])
                    at(arg.logp, t * arg.N + node_of(tile[r])) = logit;
            }
        }
    }
    float log_sum = log(max(sum, 1e-30));
    touch_end(zero() != 0, arg.logp);
    if (!mine)
        return;
    at(arg.saved, saved_sum(t)) = max_logit + log_sum;
    [[dont_unroll]] for (uint start = 0; start < arg.N; start += 32) {
        uint bits = at_u(arg.allowed, t * ((arg.N + 31) / 32) + start / 32);
        [[dont_unroll]] for (uint n = start; n < min(start + 32, arg.N); n++, bits >>= 1) {
            float logp = MASKED;
            if ((bits & 1) != 0) {
                logp = at(arg.logp, t * arg.N + n);
                logp = logp == MASKED ? MASKED : logp - max_logit - log_sum;
            }
            at(arg.logp, t * arg.N + n) = logp;
        }
    }
}
