#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/beam.glsl"
ARGUMENTS(offer);
#include "lib/logp.glsl"

// A lane has one hypothesis.
void main() {
    uint t = worker() * LANES + lane();
    if (t >= arg.T)
        return;
    float score = at(arg.score, t), last = -2 * MASKED;
    uint state = at_u(arg.state, t * RULES_STATE + RULES_DONE);
    bool done = state != 0;
    uint before = 0, e = 0; // node of the previous action, number of actions so far
    if (lives(score) && done && state != RULES_DEAD) {
        at(arg.offer, t * arg.K) = score;
        at_u(arg.node, t * arg.K) = 0;
        e = 1;
    }
    while (lives(score) && !done && e < arg.K) {
        uint best = BEAM_NONE;
        float max_logp = MASKED;
        for (uint v = 0; v < arg.N; v++) {
            float x = logp_at(t * arg.N + v);
            bool later = x < last || (x == last && v > before);
            if (later && x > max_logp)
                max_logp = x, best = v;
        }
        if (!lives(max_logp))
            break;
        at(arg.offer, t * arg.K + e) = score + max_logp;
        at_u(arg.node, t * arg.K + e) = best;
        last = max_logp, before = best;
        e++;
    }
    for (; e < arg.K; e++) {
        at(arg.offer, t * arg.K + e) = MASKED;
        at_u(arg.node, t * arg.K + e) = BEAM_NONE;
    }
}
