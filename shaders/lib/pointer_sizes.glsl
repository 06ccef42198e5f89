// Shared by all forms of the pointer; included after their ARGUMENTS.
#include "lib/segments.glsl"
layout(constant_id = POINTER_D) const uint D = 128; // of a part
layout(constant_id = POINTER_H) const uint H = 8;   // of a part
layout(constant_id = POINTER_DYN) const uint DYN = 0; // 1: rows have dynamic features
#ifndef PARTS // of a query, a key, a value or a logit key, with whole heads; one for a kernel that knows none
const uint PARTS = 1;
#endif

const uint PAIRS = D / 2, CHANNELS = D / H; // CHANNELS of a head
const uint ROW = PARTS * PAIRS;             // pairs of a key, a value or a logit key

// The values saved for a trajectory, and in them the logarithm of the last softmax's sum.
uint saved(uint t) { return t * POINTER_SAVED(PARTS * D, PARTS * H, arg.N); }
uint saved_sum(uint t) { return saved(t) + PARTS * (D + H); }
