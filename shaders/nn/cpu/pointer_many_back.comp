#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(pointer_many_back);
#include "lib/cpu/pointer_many.glsl"
#include "lib/cpu/pointer_scratch.glsl"

// A worker takes up to LANES trajectories of one slot, all steps together, and of its rows those that any of these may
// go to: dq, and what pointer_many_rows needs.
uint s, t, first, rows, wdyn, block;
bool mine; // lanes beyond the last trajectory repeat it, write no dq, and count for nothing in the scratch

uint element(uint r) { return t * arg.N + (is_null(arg.node) ? r : at_u(arg.node, first + r)); }
float dyn_of(uint r) { return DYN == 1 ? at(arg.dyn, element(r)) : 0.0; }
void put(uint r, uint i, vec2 x) { store2(arg.scratch, pair_at(block, r, i, lane()), x); }
void put_heads(uint r, uint from, float x[HEADS], uint k, float scale) {
    [[unroll]] for (uint h = 0; h < G; h += 2)
        put(r, (from + h) / 2, vec2(x[k * G + h], h + 1 < G ? x[k * G + min(h + 1, G - 1)] : 0.0) * scale);
}

#include "lib/cpu/pointer_many_logits_back.glsl"

// Through the glimpse's softmax to the query: dq of a group of heads; leaves de and a.
void glimpse_back(uint group) {
    const float scale = inversesqrt(float(CHANNELS));
    float q[WIDE], dg[WIDE], dq[WIDE], mean[G], log_sum[G], dyn_q[HEADS], dyn_g[HEADS], dyn_k[HEADS], dyn_v[HEADS];
    vec2 key[TILE], value[TILE];
    keys_back(dg, group);
    load_own(q, arg.q, t * PAIRS + group * HALF, scale);
    [[unroll]] for (uint h = 0; h < G; h++) {
        mean[h] = dyn_q[h] = dyn_g[h] = dyn_k[h] = dyn_v[h] = 0;
        log_sum[h] = at(arg.saved, saved(t) + D + group * G + h);
    }
    [[unroll]] for (uint i = 0; i < HALF; i++) { // sum_r a_rh (dg_h . V_rh)
        vec2 g = load2(arg.saved, saved(t) / 2 + group * HALF + i);
        mean[2 * i / CHANNELS] += dg[2 * i] * g.x;
        mean[(2 * i + 1) / CHANNELS] += dg[2 * i + 1] * g.y;
    }
    [[unroll]] for (uint c = 0; c < WIDE; c++)
        dq[c] = 0;
    if (DYN == 1) {
        load_vector(key, 0, arg.wdyn, wdyn + group * HALF);
        load_vector(value, 0, arg.wdyn, wdyn + PAIRS + group * HALF);
        dots(dyn_q, q, key, 1);
        dots(dyn_g, dg, value, 1);
    }
    [[dont_unroll]] for (uint start = 0; start < rows; start += 32) {
        uint own = at_u(arg.scratch, live_at(block, start, lane())), any = subgroupOr(own);
        [[dont_unroll]] while (any != 0) {
            float a[HEADS], de[HEADS], dyn[R];
            uint tile[R];
            bool live[R];
            next(tile, live, start, any, own);
            [[unroll]] for (uint r = 0; r < R; r++) {
                dyn[r] = dyn_of(tile[r]);
                [[unroll]] for (uint h = 0; h < G; h++) {
                    a[r * G + h] = DYN == 1 ? dyn[r] * dyn_q[h] : 0.0;
                    de[r * G + h] = DYN == 1 ? dyn[r] * dyn_g[h] : 0.0;
                }
                load_vector(key, r, arg.kvl, (first + tile[r]) * 3 * PAIRS + group * HALF);
                load_vector(value, r, arg.kvl, (first + tile[r]) * 3 * PAIRS + PAIRS + group * HALF);
            }
            dots(a, q, key, R);
            dots(de, dg, value, R);
            [[unroll]] for (uint r = 0; r < R; r++) {
                [[unroll]] for (uint h = 0; h < G; h++) {
                    a[r * G + h] = live[r] ? exp(a[r * G + h] - log_sum[h]) : 0.0;
                    de[r * G + h] = a[r * G + h] * (de[r * G + h] - mean[h]);
                    if (DYN == 1)
                        dyn_k[h] += de[r * G + h] * dyn[r], dyn_v[h] += a[r * G + h] * dyn[r];
                }
            }
            [[unroll]] for (uint k = 1; k <= R; k++) { // the first, which may stand in for others, last
                put_heads(tile[R - k], group * G, de, R - k, scale);
                put_heads(tile[R - k], EVEN + group * G, a, R - k, 1);
            }
            sums(dq, de, key, R);
        }
    }
    if (DYN == 1) {
        put_heads(rows, group * G, dyn_k, 0, scale);
        put_heads(rows, EVEN + group * G, dyn_v, 0, 1);
        load_vector(key, 0, arg.wdyn, wdyn + group * HALF);
        sums(dq, dyn_k, key, 1);
    }
    if (mine)
        store_own(arg.dq, t * PAIRS + group * HALF, dq, scale);
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
    logits_back(live_rows());
    [[dont_unroll]] for (uint group = 0; group < GROUPS; group++)
        glimpse_back(group);
}
