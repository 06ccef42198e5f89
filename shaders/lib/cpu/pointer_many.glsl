// The pointer's form for CPUs if many trajectories share a slot: a lane has one trajectory, or in the last kernel one
// row, and the channels of G heads of it in private values: with constant indices these are on the stack and are read
// as plain vectors. A loop passes over shared data, R vectors of these channels at a time, each read once and
// broadcast, so that no sum is over lanes. The groups of heads run one loop after the other: a single loop for all of
// them exceeds a CPU's instruction cache.
#include "lib/pointer_sizes.glsl"
layout(constant_id = POINTER_MANY_R) const uint R = 4;
layout(constant_id = POINTER_MANY_G) const uint G = 2; // heads of a group, together an even number of channels
const uint GROUPS = H / G, WIDE = G * CHANNELS, HALF = WIDE / 2;
const uint VECTORS = (HALF + LANES - 1) / LANES, TILE = R * VECTORS, HEADS = R * G;
const uint CUT = 16; // channels per basic block: LLVM schedules large ones badly

// Returns trajectory i of slot s: `repeat` per step.
uint trajectory(uint s, uint i) { return (i / arg.repeat * arg.S + s) * arg.repeat + i % arg.repeat; }

// A zero unknown to the compiler: a lane index with it is read through the stack, which costs less than a shuffle.
uint zero() { return gl_NumWorkGroups.z - 1; }

// A private array with a variable index makes LLVM align the stack.
uint aligned(uint x) {
    uint both[2];
    both[zero()] = both[zero() + 1] = x;
    return both[x & 1];
}

// Returns the next R of the rows from `start` on that any lane allows, bits of `any`, and whether this lane does. The
// trajectories of a slot are similar, so many rows are dead for all of them. If fewer than R are left, the first one
// fills up.
void next(out uint tile[R], out bool live[R], uint start, inout uint any, uint own) {
    [[unroll]] for (uint r = 0; r < R; r++) {
        tile[r] = any != 0 ? start + findLSB(any) : tile[0];
        live[r] = (own & any & -any) != 0;
        any &= any - min(any, 1);
    }
}

// Vector r of R by channels: lane l has channels 2p and 2p + 1, p = k * LANES + l, in part k.
void load_vector(inout vec2 x[TILE], uint r, ptr p, uint from) {
    [[unroll]] for (uint k = 0; k < VECTORS; k++)
        x[r * VECTORS + k] = load2(p, from + min(k * LANES + lane(), HALF - 1));
}
float channel(vec2 x[TILE], uint r, uint c) {
    return subgroupBroadcast(x[r * VECTORS + c / 2 / LANES][c % 2], c / 2 % LANES + zero());
}

// The channels of this lane, from the pair `from` on.
void load_own(out float x[WIDE], ptr p, uint from, float scale) {
    [[unroll]] for (uint i = 0; i < HALF; i++) {
        vec2 y = load2(p, from + i) * scale;
        x[2 * i] = y.x, x[2 * i + 1] = y.y;
    }
}
void store_own(ptr p, uint from, float x[WIDE], float scale) {
    [[unroll]] for (uint i = 0; i < HALF; i++)
        store2(p, from + i, vec2(x[2 * i], x[2 * i + 1]) * scale);
}

// The two sums over channels or vectors, in parts of CUT channels. The condition, always true, ends a basic block,
// because LLVM schedules large ones badly. Unrolled by hand, because compilers do not unroll loops with a condition in
// the body.
#define PART(i, FORMULA) if ((i) * CUT < WIDE && zero() <= (i) * CUT) \
    [[unroll]] for (uint c = (i) * CUT; c < min((i) * CUT + CUT, WIDE); c++) \
        [[unroll]] for (uint r = 0; r < count; r++) FORMULA
#define PARTS4(i, FORMULA) PART(i, FORMULA) PART(i + 1, FORMULA) PART(i + 2, FORMULA) PART(i + 3, FORMULA)
#define PARTS(FORMULA) PARTS4(0, FORMULA) PARTS4(4, FORMULA) PARTS4(8, FORMULA) PARTS4(12, FORMULA)

// sum[r, h] += x_h . y_rh for the first `count` vectors y.
void dots(inout float sum[HEADS], float x[WIDE], vec2 y[TILE], const uint count) {
    PARTS(sum[r * G + c / CHANNELS] += x[c] * channel(y, r, c);)
}
// The same: sum_h += sum_r x[r, h] y_rh.
void sums(inout float sum[WIDE], float x[HEADS], vec2 y[TILE], const uint count) {
    PARTS(sum[c] += x[r * G + c / CHANNELS] * channel(y, r, c);)
}
