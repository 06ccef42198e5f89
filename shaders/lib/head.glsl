// One head's channels of a row in private memory: DK channels in unrolled blocks of CH, so any head size works and up
// to 16 channels are one block.
#include "lib/segments.glsl"

layout(constant_id = HEAD_DK) const uint DK = 16;
layout(constant_id = HEAD_UNROLL) const uint UNROLL = 16; // most channels of a block; heads_unroll() of src/nn/heads.h
const uint CH = DK < UNROLL ? DK : UNROLL;
const uint BLOCKS = (DK + CH - 1) / CH;
const bool RAGGED = DK % CH != 0; // the last block is not full
#define SCALE inversesqrt(float(DK))
const float LOWEST = -3.0e38; // stands for minus infinity: exp() of a difference from it is 0 or 1, never NaN
const float FAR = 40; // exp(FAR) times any number of values is far from overflow

// Loads channels c and c + 1 of a head whose first channel is float i of p; 0 after the head's last.
vec2 pair_load(ptr p, uint i, uint c) {
    if (RAGGED && c >= DK)
        return vec2(0);
    if (DK % 2 == 0)
        return load2(p, (i + c) / 2);
    return vec2(at(p, i + c), c + 1 < DK ? at(p, i + c + 1) : 0);
}
void pair_store(ptr p, uint i, uint c, vec2 x) {
    if (RAGGED && c >= DK)
        return;
    if (DK % 2 == 0) {
        store2(p, (i + c) / 2, x);
        return;
    }
    at(p, i + c) = x.x;
    if (c + 1 < DK)
        at(p, i + c + 1) = x.y;
}

void head_load(ptr p, uint i, uint block, out float x[CH]) {
    [[unroll]] for (uint c = 0; c < CH; c += 2) {
        vec2 pair = pair_load(p, i, block * CH + c);
        x[c] = pair.x;
        if (c + 1 < CH)
            x[c + 1] = pair.y;
    }
}
void head_store(ptr p, uint i, uint block, float x[CH]) {
    [[unroll]] for (uint c = 0; c < CH; c += 2)
        pair_store(p, i, block * CH + c, vec2(x[c], c + 1 < CH ? x[c + 1] : 0));
}
void head_clear(out float x[CH]) {
    [[unroll]] for (uint c = 0; c < CH; c++)
        x[c] = 0;
}
