// The pointer's form for CPUs where many trajectories share a slot: a lane has one trajectory, or in the last kernel
// one row, and the channels of G heads of what belongs to it in private values: with constant indices only these lie on
// the stack and are read as plain vectors. What all lanes share goes by in a loop, R vectors of these channels at a
// time, each read once and spread by broadcasts, so that no sum is over lanes. The groups of heads take such a loop one
// after the other: one for all of them is more code than a CPU's cache for instructions holds.
#include "lib/pointer_sizes.glsl"
layout(constant_id = POINTER_MANY_R) const uint R = 4;
layout(constant_id = POINTER_MANY_G) const uint G = 2; // heads of a group, together an even number of channels
const uint GROUPS = H / G, WIDE = G * CHANNELS, HALF = WIDE / 2;
const uint VECTORS = (HALF + LANES - 1) / LANES, TILE = R * VECTORS, HEADS = R * G;
const uint CUT = 16; // channels in a basic block: LLVM orders large ones badly

// The trajectory of turn i of slot s: `share` of each step.
uint trajectory(uint s, uint i) { return (i / arg.repeat * arg.S + s) * arg.repeat + i % arg.repeat; }

// A zero that no compiler knows: a lane number with it is read through the stack, which costs less than a shuffle.
uint zero() { return gl_NumWorkGroups.z - 1; }

// A private array with a variable index makes LLVM align the stack.
uint aligned(uint x) {
    uint both[2];
    both[zero()] = both[zero() + 1] = x;
    return both[x & 1];
}

// The next R of the rows from `start` on that any lane may go to, bits of `any`, and whether this lane may. The
// trajectories of a slot are much alike, so that many rows are dead for all of them. Where fewer than R are left, the
// first stands in.
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

// The two sums over channels or vectors, in parts of CUT channels. The condition, always true, ends a basic block: LLVM
// orders large ones badly. Unrolled by hand, as compilers leave a loop alone whose body has a condition.
#define PART(i, FORMULA) if ((i) * CUT < WIDE && zero() <= (i) * CUT) \
    [[unroll]] for (uint c = (i) * CUT; c < min((i) * CUT + CUT, WIDE); c++) \
        [[unroll]] for (uint r = 0; r < count; r++) FORMULA
#define PARTS4(i, FORMULA) PART(i, FORMULA) PART(i + 1, FORMULA) PART(i + 2, FORMULA) PART(i + 3, FORMULA)
#define PARTS(FORMULA) PARTS4(0, FORMULA) PARTS4(4, FORMULA) PARTS4(8, FORMULA) PARTS4(12, FORMULA)

// sum[r, h] += x_h . y_rh for the first `count` vectors y.
void dots(inout float sum[HEADS], float x[WIDE], vec2 y[TILE], const uint count) {
    PARTS(sum[r * G + c / CHANNELS] += x[c] * channel(y, r, c);)
}
// sum_h += sum_r x[r, h] y_rh, likewise.
void sums(inout float sum[WIDE], float x[HEADS], vec2 y[TILE], const uint count) {
    PARTS(sum[c] += x[r * G + c / CHANNELS] * channel(y, r, c);)
}
