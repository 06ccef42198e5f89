// Shared by all forms of the pointer; included after their ARGUMENTS.
#include "lib/segments.glsl"
layout(constant_id = POINTER_D) const uint D = 128;
layout(constant_id = POINTER_H) const uint H = 8;
layout(constant_id = POINTER_DYN) const uint DYN = 0; // 1: rows have dynamic features

const uint PAIRS = D / 2, CHANNELS = D / H; // CHANNELS of a head

// The values saved for a trajectory, and in them the logarithm of the last softmax's sum.
uint saved(uint t) { return t * POINTER_SAVED(D, H, arg.N); }
uint saved_sum(uint t) { return saved(t) + D + H; }
