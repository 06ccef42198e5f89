// The glimpse of pointer_many.comp; uses its globals and functions.

#include "lib/cpu/power.glsl"

// Saves g of a group of heads and the logarithms of their sums. The running softmax is a multiple of a power of two, so
// a trajectory's result does not depend on which rows are processed together. Without a live row g is 0.
void glimpse(uint group) {
    const float log2_e = 1.44269504;
    float q[WIDE], g[WIDE], max_logit[G], sum[G], dyn_dot[HEADS], dyn_sum[HEADS];
    vec2 x[TILE];
    load_own(q, arg.q, t * PAIRS + group * HALF, log2_e * inversesqrt(float(CHANNELS)));
    [[unroll]] for (uint c = 0; c < WIDE; c++)
        g[c] = 0;
    [[unroll]] for (uint h = 0; h < G; h++)
        max_logit[h] = MASKED, sum[h] = dyn_dot[h] = dyn_sum[h] = 0;
    if (DYN == 1) {
        load_vector(x, 0, arg.wdyn, wdyn + group * HALF);
        dots(dyn_dot, q, x, 1);
    }
    [[dont_unroll]] for (uint start = 0; start < rows; start += 32) {
        uint own = live_from(start), any = lanes_or(own);
        [[dont_unroll]] while (any != 0) {
            float e[HEADS], dyn[R], less[G];
            uint tile[R];
            bool live[R];
            next(tile, live, start, any, own);
            [[unroll]] for (uint r = 0; r < R; r++) {
                dyn[r] = dyn_of(tile[r]);
                [[unroll]] for (uint h = 0; h < G; h++)
                    e[r * G + h] = DYN == 1 ? dyn[r] * dyn_dot[h] : 0.0;
                load_vector(x, r, arg.kvl, (first + tile[r]) * 3 * PAIRS + group * HALF);
            }
            dots(e, q, x, R);
            [[unroll]] for (uint h = 0; h < G; h++) {
                float before = max_logit[h];
                [[unroll]] for (uint r = 0; r < R; r++)
                    max_logit[h] = max(max_logit[h], live[r] ? floor(e[r * G + h]) : MASKED);
                less[h] = power(before - max_logit[h]);
                sum[h] *= less[h], dyn_sum[h] *= less[h];
                [[unroll]] for (uint r = 0; r < R; r++) {
                    float whole = floor(e[r * G + h]);
                    float a = live[r] ? exp2(e[r * G + h] - whole) * power(whole - max_logit[h]) : 0.0;
                    sum[h] += a, e[r * G + h] = a;
                    if (DYN == 1)
                        dyn_sum[h] += a * dyn[r];
                }
            }
            [[unroll]] for (uint r = 0; r < R; r++)
                load_vector(x, r, arg.kvl, (first + tile[r]) * 3 * PAIRS + PAIRS + group * HALF);
            [[unroll]] for (uint c = 0; c < WIDE; c++)
                g[c] *= less[c / CHANNELS];
            sums(g, e, x, R);
        }
    }
    if (DYN == 1) {
        load_vector(x, 0, arg.wdyn, wdyn + PAIRS + group * HALF);
        sums(g, dyn_sum, x, 1);
    }
    [[unroll]] for (uint h = 0; h < G; h++) {
        sum[h] = max(sum[h], 1e-30);
        if (mine)
            at(arg.saved, saved(t) + D + group * G + h) =
                max_logit[h] == MASKED ? MASKED : (max_logit[h] + log2(sum[h])) / log2_e;
        sum[h] = 1 / sum[h];
    }
    [[unroll]] for (uint c = 0; c < WIDE; c++)
        g[c] *= sum[c / CHANNELS];
    if (mine)
        store_own(arg.saved, saved(t) / 2 + group * HALF, g, 1);
}
