#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/clip.glsl"
#include "lib/cpu/stack.glsl"
#include "lib/cpu/touch.glsl"
ARGUMENTS(likelihood_logits);
#include "lib/cpu/likelihood.glsl"

// A worker takes a block of decisions, with all heads as one group: the log-probabilities' softmax, and du, the gradient
// of g . l.
float further(uint m, uint key) { // of the log-probability, besides that of the action
    return t[m] < arg.first_rows ? at(arg.further, t[m] * arg.N + key) : 0.0;
}

void main() {
    uint w = worker();
    if (!use_slot(w / blocks()))
        return;
    group = 0;
    use_block(w % blocks());
    touch_own(arg.g);
    touch_dyn();
    touch_keys(arg.kvl, 2);
    float g[OWN], max_logit[MB], sum[MB], total[MB], coefficient[MB], dyn_dot[HEADS];
    uint action[MB];
    vec2 x[TILE];
    bool more = false;
    load_own(g, arg.g, inversesqrt(float(D)));
    [[unroll]] for (uint m = 0; m < MB; m++) {
        max_logit[m] = MASKED, sum[m] = total[m] = 0;
        action[m] = at_u(arg.action, t[m]);
        coefficient[m] = at(arg.coefficient, t[m] % arg.coefficients);
        more = more || t[m] < arg.first_rows;
    }
    more = lanes_any(more);
    [[unroll]] for (uint i = 0; i < HEADS; i++)
        dyn_dot[i] = 0;
    if (DYN == 1) {
        load_vector(x, 0, arg.wdyn, wdyn + 2 * PAIRS);
        dots(dyn_dot, g, x, 1);
    }
    [[dont_unroll]] for (uint start = 0; start < rows; start += 32) {
        uint own[MB], any = live_from(own, start);
        [[dont_unroll]] while (any != 0) {
            float u[HEADS];
            uint tile[R];
            bool live[CASES];
            next(tile, live, start, any, own);
            load_keys(x, tile, 2);
            [[unroll]] for (uint i = 0; i < HEADS; i++)
                u[i] = 0;
            dots(u, g, x, R);
            [[unroll]] for (uint i = 0; i < MB * R; i++) {
                uint m = i / R, key = tile[i % R];
                float dot_ = DYN == 1 ? dyn_of(m, key) * dyn_dot[m * EACH] : 0.0;
                [[unroll]] for (uint h = 0; h < G; h++)
                    dot_ += u[i * G + h];
                float th = clipped(dot_), before = max_logit[m];
                if (live[i]) {
                    max_logit[m] = max(before, arg.sharp * th);
                    sum[m] = sum[m] * exp(before - max_logit[m]) + exp(arg.sharp * th - max_logit[m]);
                    total[m] += key == action[m] ? coefficient[m] : 0.0;
                    at(arg.du, du_at(m, key)) = th;
                    if (more)
                        total[m] += further(m, key);
                }
            }
        }
    }
    [[unroll]] for (uint m = 0; m < MB; m++)
        max_logit[m] += log(max(sum[m], 1e-30));
    [[dont_unroll]] for (uint start = 0; start < rows; start += 32) {
        uint own[MB], any = live_from(own, start);
        [[dont_unroll]] for (; any != 0; any &= any - 1) {
            uint bit = findLSB(any), key = start + bit;
            [[unroll]] for (uint m = 0; m < MB; m++) {
                float th = at(arg.du, du_at(m, key)), d = key == action[m] ? coefficient[m] : 0.0;
                if (more)
                    d += further(m, key);
                d -= exp(arg.sharp * th - max_logit[m]) * total[m];
                d *= arg.sharp * (1 - th) * (1 + th) * inversesqrt(float(D));
                at(arg.du, du_at(m, key)) = (own[m] >> bit & 1) != 0 ? d : 0.0;
            }
        }
    }
    touch_end(zero() != 0, arg.du);
}
