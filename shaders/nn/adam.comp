#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(adam);

float scale, rate, root;

void update(vec2 g, inout vec2 m, inout vec2 v, inout vec2 w) {
    g *= scale;
    m = arg.beta1 * m + arg.rest1 * g;
    v = arg.beta2 * v + arg.rest2 * g * g;
    w -= rate * m / (root * sqrt(v) + arg.eps);
}

// Each worker updates ADAM_PAIRS pairs of weights in every lane.
void main() {
    if (at_u(arg.state, ADAM_GO) == 0)
        return;
    scale = at(arg.state, ADAM_SCALE), rate = at(arg.state, ADAM_RATE), root = at(arg.state, ADAM_ROOT);
    uint start = worker() * LANES * ADAM_PAIRS + lane();
    [[unroll]] for (uint k = 0; k < ADAM_PAIRS; k++) {
        uint i = start + k * LANES;
        if (i < arg.count / 2) {
            vec2 m = load2(arg.m, i), v = load2(arg.v, i), w = load2(arg.w, i);
            update(load2(arg.g, i), m, v, w);
            store2(arg.m, i, m);
            store2(arg.v, i, v);
            store2(arg.w, i, w);
        }
    }
    if (arg.count % 2 == 1 && start == 0) { // the weight without a partner
        uint i = arg.count - 1;
        vec2 m = vec2(at(arg.m, i)), v = vec2(at(arg.v, i)), w = vec2(at(arg.w, i));
        update(vec2(at(arg.g, i)), m, v, w);
        at(arg.m, i) = m.x;
        at(arg.v, i) = v.x;
        at(arg.w, i) = w.x;
    }
}
