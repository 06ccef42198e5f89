#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/cpu/stack.glsl"
#include "lib/cpu/touch.glsl"
ARGUMENTS(likelihood_glimpse_back);
#include "lib/cpu/likelihood.glsl"

// The sums over the keys of a (dg . v), by way of g.
void means(out float mean[OWNED], float dg[OWN]) {
    float g[OWN];
    load_own(g, arg.g, 1);
    [[unroll]] for (uint i = 0; i < MB * G; i++) {
        mean[i] = 0;
        [[unroll]] for (uint c = 0; c < CHANNELS; c++)
            mean[i] += dg[i * CHANNELS + c] * g[i * CHANNELS + c];
    }
}

// A worker takes a group of heads of all decisions of a slot: from dg through the softmax to the queries, keys and
// values.
void main() {
    const float log2_e = 1.44269504, scale = inversesqrt(float(CHANNELS));
    uint w = worker();
    if (!use_slot(w / GROUPS))
        return;
    group = w % GROUPS;
    [[unroll]] for (uint part = 0; part < 2; part++) {
        touch_keys(arg.kvl, part);
        touch_keys(arg.dkvl, part);
    }
    [[dont_unroll]] for (uint b = 0; b < blocks(); b++) {
        use_block(b);
        touch_own(arg.q);
        touch_own(arg.dg);
        touch_own(arg.g);
        float q[OWN], dg[OWN], dq[OWN], q_rows[SPREAD], dg_rows[SPREAD], mean[OWNED], log_sum[OWNED];
        float dyn_q[HEADS], dyn_g[HEADS], dyn_k[HEADS], dyn_v[HEADS];
        vec2 x[TILE], y[TILE];
        uint tile[R], from[R];
        bool live[CASES];
        load_own(q, arg.q, log2_e * scale);
        load_own(dg, arg.dg, 1);
        load_rows(q_rows, arg.q);
        load_rows(dg_rows, arg.dg);
        clear_own(dq);
        means(mean, dg);
        [[unroll]] for (uint i = 0; i < MB * G; i++)
            log_sum[i] = at(arg.log_sum, t[i / G] * H + group * G + i % G);
        [[unroll]] for (uint i = 0; i < HEADS; i++)
            dyn_q[i] = dyn_g[i] = dyn_k[i] = dyn_v[i] = 0;
        if (DYN == 1) {
            load_vector(x, 0, arg.wdyn, wdyn + group * HALF);
            load_vector(y, 0, arg.wdyn, wdyn + PAIRS + group * HALF);
            dots(dyn_q, q, x, 1);
            dots(dyn_g, dg, y, 1);
        }
        [[dont_unroll]] for (uint start = 0; start < rows; start += 32) {
            uint own[MB], any = live_from(own, start);
            [[dont_unroll]] while (any != 0) {
                float a[HEADS], de[HEADS];
                next(tile, live, start, any, own);
                load_keys(x, tile, 0);
                load_keys(y, tile, 1);
                [[unroll]] for (uint i = 0; i < HEADS; i++) {
                    float dyn = dyn_of(i / EACH, tile[i / G % R]);
                    a[i] = DYN == 1 ? dyn * dyn_q[i / EACH * EACH + i % G] : 0.0;
                    de[i] = DYN == 1 ? dyn * dyn_g[i / EACH * EACH + i % G] : 0.0;
                }
                dots(a, q, x, R);
                dots(de, dg, y, R);
                [[unroll]] for (uint i = 0; i < HEADS; i++) {
                    uint m = i / EACH, r = i / G % R, h = i % G;
                    a[i] = live[m * R + r] ? exp2(a[i] - log_sum[m * G + h]) : 0.0;
                    de[i] = a[i] * (de[i] - mean[m * G + h]) * scale;
                    if (DYN == 1) {
                        float dyn = dyn_of(m, tile[r]);
                        dyn_k[m * EACH + h] += de[i] * dyn, dyn_v[m * EACH + h] += a[i] * dyn;
                    }
                }
                sums(dq, de, x, R);
                [[unroll]] for (uint r = 0; r < R; r++)
                    from[r] = (first + tile[r]) * 3 * D;
                collect(arg.dkvl, from, de, q_rows, R);
                [[unroll]] for (uint r = 0; r < R; r++)
                    from[r] += D;
                collect(arg.dkvl, from, a, dg_rows, R);
            }
        }
        if (DYN == 1) {
            load_vector(x, 0, arg.wdyn, wdyn + group * HALF);
            sums(dq, dyn_k, x, 1);
            from[0] = s * 3 * D;
            collect(arg.dwdyn, from, dyn_k, q_rows, 1);
            from[0] += D;
            collect(arg.dwdyn, from, dyn_v, dg_rows, 1);
        }
        store_own(arg.dq, dq);
    }
    touch_end(zero() != 0, arg.dq);
}
