#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/beam.glsl"
ARGUMENTS(beam_offer);
#include "lib/logp.glsl"

uint word_of(uint t, uint i) { return at_u(arg.state, t * RULES_STATE + i); }
vec2 place_of(uint t, uint v) {
    return load2(arg.nodes, (at_u(arg.instance, t) * arg.N + v) * (NODE_WORDS / 2));
}

// The way after a move to v, with the rounding of shaders/problem/rules_head.glsl. Without a depot the first move is none.
float length_to(uint t, uint v) {
    precise float way = uintBitsToFloat(word_of(t, RULES_LENGTH)), low = uintBitsToFloat(word_of(t, RULES_LENGTH + 1));
    if (arg.depot == 0 && word_of(t, RULES_STEPS) == 0)
        return way;
    precise float leg = distance(place_of(t, word_of(t, RULES_CURRENT)), place_of(t, v)) + low;
    precise float total = way + leg;
    return total;
}

uint hash_of(uint t) {
    uint hash = arg.depot != 0 ? 0 : word_of(t, RULES_FIRST);
    if (!is_null(arg.remaining)) {
        for (uint v = 0; v < arg.N; v++)
            hash = hashed(hash, at_u(arg.remaining, t * arg.N + v));
        return hash;
    }
    uint words = (arg.N + 31) / 32;
    for (uint w = 0; w < words; w++)
        hash = hashed(hash, at_u(arg.visited, t * words + w));
    return hash;
}

// A lane takes one hypothesis.
void main() {
    uint t = worker() * LANES + lane();
    if (t >= arg.T)
        return;
    float score = at(arg.score, t), last = -2 * MASKED;
    bool done = word_of(t, RULES_DONE) != 0;
    uint before = 0, e = 0; // node of the move before, moves so far
    if (lives(score) && done) {
        at(arg.offer, t * arg.K) = score;
        at_u(arg.node, t * arg.K) = 0;
        at(arg.length_, t * arg.K) = uintBitsToFloat(word_of(t, RULES_LENGTH));
        e = 1;
    }
    while (lives(score) && !done && e < arg.K) {
        uint best = BEAM_NONE;
        float most = MASKED;
        for (uint v = 0; v < arg.N; v++) {
            float x = logp_at(t * arg.N + v);
            bool later = x < last || (x == last && v > before);
            if (later && x > most)
                most = x, best = v;
        }
        if (!lives(most))
            break;
        at(arg.offer, t * arg.K + e) = score + most;
        at_u(arg.node, t * arg.K + e) = best;
        at(arg.length_, t * arg.K + e) = length_to(t, best);
        last = most, before = best;
        e++;
    }
    for (; e < arg.K; e++) {
        at(arg.offer, t * arg.K + e) = MASKED;
        at_u(arg.node, t * arg.K + e) = BEAM_NONE;
    }
    if (lives(score))
        at_u(arg.hash, t) = hash_of(t) & arg.bits;
}
