#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(copy);

layout(constant_id = COPY_ADD) const bool ADD = false;   // to += from, instead of to = from
layout(constant_id = COPY_PAIRED) const bool PAIRED = true; // both tensors are aligned for pairs

void copy_one(uint i) { at(arg.to, i) = ADD ? at(arg.to, i) + at(arg.from, i) : at(arg.from, i); }

// Each worker copies COPY_PAIRS pairs of floats in every lane.
const uint COPY_PAIRS = 8;
void main() {
    uint start = worker() * LANES * COPY_PAIRS + lane();
    [[unroll]] for (uint k = 0; k < COPY_PAIRS; k++) {
        uint i = start + k * LANES;
        if (PAIRED && 2 * i + 1 < arg.count) {
            store2(arg.to, i, ADD ? load2(arg.to, i) + load2(arg.from, i) : load2(arg.from, i));
        } else {
            if (2 * i < arg.count)
                copy_one(2 * i);
            if (2 * i + 1 < arg.count)
                copy_one(2 * i + 1);
        }
    }
}
