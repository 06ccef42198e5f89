#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(beam_follow);

// A lane has one word of one hypothesis: of its state, the problem's own words, sets, slot, remaining demand or its
// feature. The state of a dead hypothesis is that of a finished one.
void main() {
    uint words = RULES_SETS * ((arg.N + 31) / 32), columns = RULES_STATE + arg.own + words + 1;
    if (!is_null(arg.remaining))
        columns += 2 * arg.N;
    uint item = worker() * LANES + lane(), t = item / columns, k = item % columns;
    if (item == 0)
        at_u(arg.clock, 0) += 1;
    if (t >= arg.T)
        return;
    uint from = at_u(arg.parent, t);
    bool nobody = from == BEAM_NONE;
    from = nobody ? t : from;
    if (k < RULES_STATE) {
        uint word = at_u(arg.old_state, from * RULES_STATE + k);
        at_u(arg.state, t * RULES_STATE + k) = nobody ? k == RULES_DONE ? 1 : 0 : word;
        return;
    }
    k -= RULES_STATE;
    if (k < arg.own) {
        uint own = arg.T * RULES_STATE + k, word = at_u(arg.old_state, own + from * arg.own);
        at_u(arg.state, own + t * arg.own) = nobody ? 0 : word;
        return;
    }
    k -= arg.own;
    if (k < words) {
        uint set_words = words / RULES_SETS, set = k / set_words, w = k % set_words;
        uint word = at_u(arg.old_sets, (set * arg.T + from) * set_words + w);
        at_u(arg.sets, (set * arg.T + t) * set_words + w) = nobody ? 0 : word;
    } else if (k == words) {
        at_u(arg.slot, t) = at_u(arg.old_slot, from);
    } else {
        uint v = k - words - 1;
        if (v < arg.N)
            at_u(arg.remaining, t * arg.N + v) = at_u(arg.old_remaining, from * arg.N + v);
        else
            at_u(arg.share, t * arg.N + v - arg.N) = at_u(arg.old_share, from * arg.N + v - arg.N);
    }
}
