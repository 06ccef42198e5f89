#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rng.glsl"
ARGUMENTS(choose);
#include "lib/logp.glsl"
layout(constant_id = CHOOSE_MODE) const uint MODE = CHOOSE_GREEDY;

// A lane has one trajectory, so that sums do not depend on the number of lanes.
uint likeliest(uint row) {
    uint best = 0;
    float max_logp = logp_at(row);
    for (uint n = 1; n < arg.N; n++) {
        float x = logp_at(row + n);
        if (x > max_logp)
            max_logp = x, best = n;
    }
    return best;
}

// Returns the first node whose cumulative probability exceeds the draw; if rounding leaves the sum below the draw, the
// last node with a probability. If none has one, the first allowed node.
uint drawn(uint row, float draw) {
    uint choice = 0;
    float sum = 0;
    bool some = false;
    for (uint n = 0; n < arg.N; n++) {
        float x = logp_at(row + n), p = x > 0.5 * MASKED ? exp(x) : 0.0;
        if (x > 0.5 * MASKED && (!some || (p > 0 && sum <= draw))) {
            choice = n;
            some = true;
        }
        sum += p;
    }
    return choice;
}

void main() {
    uint t = worker() * LANES + lane();
    if (t >= arg.T)
        return;
    uint action, row = t * arg.N, how = MODE == CHOOSE_GREEDY ? TAUGHT_GREEDY : TAUGHT_SAMPLE;
    if (MODE == CHOOSE_GIVEN || MODE == CHOOSE_TAUGHT)
        how = action = at_u(arg.given, t);
    if (MODE != CHOOSE_GIVEN && how == TAUGHT_GREEDY)
        action = likeliest(row);
    if (MODE != CHOOSE_GIVEN && how == TAUGHT_SAMPLE) {
        uvec4 number =
            rng_draw(arg.seed, RNG_SAMPLE, at_u(arg.instance, t), at_u(arg.decoder, t), at_u(arg.step_, 0));
        action = drawn(row, rng_unit(number.x));
    }
    float logp = at(arg.logp, row + action);
    if (logp < 0.5 * MASKED && action == 0)
        logp = 0; // finished: no node was allowed
    at_u(arg.action, t) = action;
    at(arg.chosen, t) = logp;
    if (!is_null(arg.total))
        at(arg.total, t) += logp;
}
