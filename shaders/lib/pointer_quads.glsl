// The pointer by quads: lane l has channels 4 i .. 4 i + 3, i = k LANES + l, in vector k of VECTORS, of a query, a key, a
// value or a logit key, so that the lanes of a worker read a row of the cache side by side. The lanes of a head are
// neighbours. Included after ARGUMENTS; needs channels of a head that are a power of two, 4 or more, of at most 4 LANES.
#include "lib/pointer_sizes.glsl"
#include "lib/quads.glsl"

const uint QUADS = D / 4, HEAD = CHANNELS / 4; // of a row, of a head
const uint VECTORS = (QUADS + LANES - 1) / LANES;
const uint VALUES_AT_ONCE = VECTORS < 4 ? 4 / VECTORS : 1; // rows whose key and value are on their way together
const uint LOGITS_AT_ONCE = VECTORS >= 8 ? 1 : 8 / VECTORS < LANES ? 8 / VECTORS : LANES;

void load_quads(out vec4 x[VECTORS], ptr p, uint first) {
    ptr row = further(p, first);
    [[unroll]] for (uint k = 0; k < VECTORS; k++) {
        uint i = k * LANES + lane();
        x[k] = quad_at(row, (QUADS % LANES == 0 || i < QUADS ? i : 0) << 4).value;
    }
}
// Lanes after the last channel: 0.
void clear_rest(inout vec4 x[VECTORS]) {
    if (QUADS % LANES != 0 && (VECTORS - 1) * LANES + lane() >= QUADS)
        x[VECTORS - 1] = vec4(0);
}

// The sum over the lanes of a head, in all of them.
float head_sum(float x) {
    [[unroll]] for (uint step_ = 1; step_ < HEAD; step_ *= 2)
        x += subgroupShuffleXor(x, step_);
    return x;
}

// Returns in lane l the sum over all lanes of x[l % LOGITS_AT_ONCE]: lanes first exchange halves of their rows.
float row_sums(float x[LOGITS_AT_ONCE]) {
    [[unroll]] for (uint step_ = 1; step_ < LOGITS_AT_ONCE; step_ *= 2) {
        bool odd = (lane() & step_) != 0;
        [[unroll]] for (uint i = 0; i < LOGITS_AT_ONCE / (2 * step_); i++) {
            float other = subgroupShuffleXor(odd ? x[2 * i] : x[2 * i + 1], step_);
            x[i] = (odd ? x[2 * i + 1] : x[2 * i]) + other;
        }
    }
    [[unroll]] for (uint step_ = LOGITS_AT_ONCE; step_ < LANES; step_ *= 2)
        x[0] += subgroupShuffleXor(x[0], step_);
    return x[0];
}
