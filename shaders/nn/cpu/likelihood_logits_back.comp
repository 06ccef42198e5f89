#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/cpu/stack.glsl"
#include "lib/cpu/touch.glsl"
ARGUMENTS(likelihood_logits_back);
#include "lib/cpu/likelihood.glsl"

// A worker takes a group of heads of all decisions of a slot: from du the gradient dg of the glimpse and that of the
// logit keys.
void main() {
    uint w = worker();
    if (!use_slot(w / GROUPS))
        return;
    group = w % GROUPS;
    touch_keys(arg.kvl, 2);
    touch_keys(arg.dkvl, 2);
    [[dont_unroll]] for (uint b = 0; b < blocks(); b++) {
        use_block(b);
        touch_own(arg.g);
        float g[SPREAD], dg[OWN], du[HEADS], dyn_sum[HEADS];
        vec2 x[TILE];
        uint tile[R], from[R];
        bool live[CASES];
        load_rows(g, arg.g);
        clear_own(dg);
        [[unroll]] for (uint i = 0; i < HEADS; i++)
            dyn_sum[i] = 0;
        [[dont_unroll]] for (uint start = 0; start < rows; start += 32) {
            uint own[MB], any = live_from(own, start);
            [[dont_unroll]] while (any != 0) {
                next(tile, live, start, any, own);
                load_keys(x, tile, 2);
                [[unroll]] for (uint i = 0; i < MB * R; i++) {
                    uint m = i / R, r = i % R;
                    float d = live[i] ? at(arg.du, du_at(m, tile[r])) : 0.0;
                    [[unroll]] for (uint h = 0; h < G; h++) {
                        du[i * G + h] = d;
                        if (DYN == 1)
                            dyn_sum[m * EACH + h] += d * dyn_of(m, tile[r]);
                    }
                }
                [[unroll]] for (uint r = 0; r < R; r++)
                    from[r] = (first + tile[r]) * 3 * D + 2 * D;
                sums(dg, du, x, R);
                collect(arg.dkvl, from, du, g, R);
            }
        }
        if (DYN == 1) {
            load_vector(x, 0, arg.wdyn, wdyn + 2 * PAIRS + group * HALF);
            sums(dg, dyn_sum, x, 1);
            from[0] = s * 3 * D + 2 * D;
            collect(arg.dwdyn, from, dyn_sum, g, 1);
        }
        store_own(arg.dg, dg);
    }
    touch_end(zero() != 0, arg.dg);
}
