#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS_FAR(pointer_choose);
#undef arg // a copy, which is read once
pointer_choose_args arg;
uint t; // a worker has a trajectory
uint draw_step() { return at_u(arg.step_, 0); }
#include "lib/pointer_choose.glsl"

// The K most probable actions, as shaders/nn/offer.comp finds them.
void offer() {
    float score = at(arg.score, t), last = -2 * MASKED;
    uint state = at_u(arg.state, t * RULES_STATE + RULES_DONE), before = 0;
    bool stays = lives(score) && state != 0 && state != RULES_DEAD, open = lives(score) && state == 0;
    [[dont_unroll]] for (uint e = 0; e < arg.K; e++) {
        uint node = BEAM_NONE;
        float x = MASKED;
        if (open) {
            last = next_best(last, before, node);
            before = node;
            open = lives(last);
            x = open ? score + last : MASKED;
            node = open ? node : BEAM_NONE;
        }
        if (stays && e == 0)
            x = score, node = 0;
        if (lane() == 0) {
            at(arg.offer, t * arg.K + e) = x;
            at_u(arg.offered, t * arg.K + e) = node;
        }
    }
}

void main() {
    arg = arguments.value;
    t = worker();
    bool works = t < arg.T;
    point(works);
    if (works && THEN == POINTER_OFFER)
        offer();
    else if (works && THEN != POINTER_ONLY)
        choose();
}
