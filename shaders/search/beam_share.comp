#version 460
#extension GL_GOOGLE_include_directive : require
#define BETWEEN_LANES coherent
#include "lib/kernel.glsl"
#include "lib/beam.glsl"
ARGUMENTS(beam_share);
#include "lib/beam_table.glsl"

uint first, words; // of the beam; words of a set

bool same(uint i, uint j) {
    uint wrong = 0;
    for (uint w = 0; w < words && wrong == 0; w++)
        wrong = at_u(arg.relevant, (first + i) * words + w) ^ at_u(arg.relevant, (first + j) * words + w);
    return wrong == 0;
}

void main() {
    uint beam = worker();
    first = beam * arg.W;
    words = (arg.N + 31) / 32;
    if (first >= arg.T)
        return;
    uint n = at_u(arg.limits, at_u(arg.instance, first));
    clear_table(beam);
    for (uint i = lane(); i < arg.W; i += LANES) {
        uint t = first + i, hash = 0, owner = i;
        bool looks = lives(at(arg.score, t)) && at_u(arg.state, t * RULES_STATE + RULES_DONE) == 0;
        for (uint w = 0; w < words && looks; w++)
            hash = hashed(hash, at_u(arg.relevant, t * words + w));
        if (looks)
            owner = entered(beam, i, hash & arg.bits);
        at_u(arg.slot, t) = first + owner;
        for (uint w = 0; w < words; w++) {
            uint mine = looks && owner == i ? 0xffffffffu : 0, ahead = min(max(n, 32 * w) - 32 * w, 32);
            at_u(arg.keys, t * words + w) = at_u(arg.relevant, t * words + w) & mine;
            if (!is_null(arg.everyone))
                at_u(arg.everyone, t * words + w) = (ahead == 32 ? 0xffffffffu : (1u << ahead) - 1) & mine;
        }
    }
}
