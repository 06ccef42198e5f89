#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/cpu/stack.glsl"
#include "lib/cpu/touch.glsl"
ARGUMENTS(likelihood_glimpse);
#include "lib/cpu/likelihood.glsl"

// A worker takes a group of heads of a block of decisions: their glimpse g, and the base-2 logarithm of each softmax's
// sum. With no live key g is 0.
void main() {
    const float log2_e = 1.44269504, FAR = 32;
    uint w = worker();
    if (!use_slot(w / GROUPS / blocks()))
        return;
    group = w % GROUPS;
    use_block(w / GROUPS % blocks());
    touch_own(arg.q);
    touch_keys(arg.kvl, 0);
    touch_keys(arg.kvl, 1);
    float q[OWN], g[OWN], shift[OWNED], sum[OWNED], dyn_dot[HEADS], dyn_sum[HEADS];
    vec2 x[TILE];
    load_own(q, arg.q, log2_e * inversesqrt(float(CHANNELS)));
    clear_own(g);
    [[unroll]] for (uint i = 0; i < MB * G; i++)
        shift[i] = MASKED, sum[i] = 0;
    [[unroll]] for (uint i = 0; i < HEADS; i++)
        dyn_dot[i] = dyn_sum[i] = 0;
    if (DYN == 1) {
        load_vector(x, 0, arg.wdyn, wdyn + group * HALF);
        dots(dyn_dot, q, x, 1);
    }
    [[dont_unroll]] for (uint start = 0; start < rows; start += 32) {
        uint own[MB], any = live_from(own, start);
        [[dont_unroll]] while (any != 0) {
            float e[HEADS], dyn[CASES], top[OWNED];
            uint tile[R];
            bool live[CASES], moves = false;
            next(tile, live, start, any, own);
            load_keys(x, tile, 0);
            [[unroll]] for (uint i = 0; i < MB * R; i++) {
                dyn[i] = dyn_of(i / R, tile[i % R]);
                [[unroll]] for (uint h = 0; h < G; h++)
                    e[i * G + h] = DYN == 1 ? dyn[i] * dyn_dot[i / R * EACH + h] : 0.0;
            }
            dots(e, q, x, R);
            // Weights are 2^(e - shift); the shift follows the greatest e when that is far ahead.
            [[unroll]] for (uint i = 0; i < MB * G; i++) {
                top[i] = MASKED;
                [[unroll]] for (uint r = 0; r < R; r++)
                    top[i] = max(top[i], live[i / G * R + r] ? e[i / G * EACH + r * G + i % G] : MASKED);
                moves = moves || top[i] > shift[i] + FAR;
            }
            if (lanes_any(moves)) [[unroll]] for (uint i = 0; i < MB * G; i++) {
                float to = top[i] > shift[i] + FAR ? top[i] : shift[i], less = exp2(shift[i] - to);
                shift[i] = to;
                sum[i] *= less, dyn_sum[i / G * EACH + i % G] *= less;
                [[unroll]] for (uint c = 0; c < CHANNELS; c++)
                    g[i * CHANNELS + c] *= less;
            }
            [[unroll]] for (uint i = 0; i < HEADS; i++) {
                uint m = i / EACH, r = i / G % R, h = i % G;
                e[i] = live[m * R + r] ? exp2(e[i] - shift[m * G + h]) : 0.0;
                sum[m * G + h] += e[i];
                if (DYN == 1)
                    dyn_sum[m * EACH + h] += e[i] * dyn[m * R + r];
            }
            load_keys(x, tile, 1);
            sums(g, e, x, R);
        }
    }
    if (DYN == 1) {
        load_vector(x, 0, arg.wdyn, wdyn + PAIRS + group * HALF);
        sums(g, dyn_sum, x, 1);
    }
    [[unroll]] for (uint i = 0; i < MB * G; i++) {
        sum[i] = max(sum[i], 1e-30);
        if (mine[i / G])
            at(arg.log_sum, t[i / G] * H + group * G + i % G) = shift[i] + log2(sum[i]);
        [[unroll]] for (uint c = 0; c < CHANNELS; c++)
            g[i * CHANNELS + c] /= sum[i];
    }
    store_own(arg.g, g);
    touch_end(zero() != 0, arg.g);
}
