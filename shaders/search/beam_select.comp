#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/beam.glsl"
ARGUMENTS(beam_select);

uint base, count; // the beam's candidates

// Returns 0 for dead candidates.
uint key_of(uint c) {
    float score = c < count ? at(arg.merged, base + c) : MASKED;
    return lives(score) ? ordered(score) : 0;
}

// Counts candidates with a key of at least `min_key`.
uint above(uint min_key) {
    uint n = 0;
    for (uint c = lane(); c < count; c += LANES)
        n += key_of(c) >= min_key ? 1 : 0;
    return subgroupAdd(n);
}

// Returns the largest key that W candidates reach, or 1 if fewer are live.
uint threshold() {
    if (above(1) <= arg.W)
        return 1;
    uint low = 0xffffffffu, high = 0;
    for (uint c = lane(); c < count; c += LANES) {
        uint key = key_of(c);
        low = key > 0 ? min(low, key) : low;
        high = max(high, key);
    }
    low = subgroupMin(low), high = subgroupMax(high);
    while (low < high) { // W candidates reach low, but not high + 1
        uint middle = high - (high - low) / 2;
        if (above(middle) >= arg.W)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void put(uint t, uint j, uint parent, uint action, float score) {
    at_u(arg.parent, t) = parent;
    at_u(arg.action, t) = action;
    at(arg.score, t) = score;
    if (j < arg.J)
        at_u(arg.parents, j * arg.T + t) = parent;
}

void main() {
    uint first = worker() * arg.W, j = at_u(arg.clock, 0);
    if (first >= arg.T)
        return;
    base = first * arg.K;
    count = arg.W * arg.K;
    uint min_key = threshold(), used = 0, equals = arg.W - above(min_key + 1);
    for (uint start = 0; start < count; start += LANES) {
        uint c = start + lane(), key = key_of(c);
        uvec4 equal_lanes = subgroupBallot(key == min_key);
        bool taken = key > min_key || (key == min_key && subgroupBallotExclusiveBitCount(equal_lanes) < equals);
        equals -= min(equals, subgroupBallotBitCount(equal_lanes));
        uvec4 lanes = subgroupBallot(taken);
        if (taken)
            put(first + used + subgroupBallotExclusiveBitCount(lanes), j, (base + c) / arg.K,
                at_u(arg.node, base + c), at(arg.merged, base + c));
        used += subgroupBallotBitCount(lanes);
    }
    for (uint w = used + lane(); w < arg.W; w += LANES)
        put(first + w, j, BEAM_NONE, 0, MASKED);
}
