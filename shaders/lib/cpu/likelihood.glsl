// Shared by the kernels of the gradient of given actions' likelihood, for CPUs. All decisions of a slot process its
// keys together. A lane has one decision in each of MB vectors, and the channels of G heads of it in private values:
// with constant indices these are on the stack and are read as plain vectors. A loop passes over the keys, R at a time,
// each read once and broadcast, so that no sum over keys or channels is over lanes. Sums over decisions are organised
// the other way: lanes are the channels of a head, and a decision's coefficient is broadcast.
#include "lib/lanes.glsl"
#include "lib/pointer_sizes.glsl"
layout(constant_id = LIKELIHOOD_R) const uint R = 4;
layout(constant_id = LIKELIHOOD_G) const uint G = 2; // together an even number of channels
layout(constant_id = LIKELIHOOD_MB) const uint MB = 2;
const uint GROUPS = H / G, WIDE = G * CHANNELS, HALF = WIDE / 2;
const uint VECTORS = (HALF + LANES - 1) / LANES, TILE = R * VECTORS;
const uint OWN = MB * WIDE, EACH = R * G, HEADS = MB * EACH, ROWS = MB * LANES;
const uint HV = (CHANNELS + LANES - 1) / LANES; // vectors of a head's channels
const uint CASES = MB * R, OWNED = MB * G, SPREAD = ROWS * G * HV; // two arrays have the same type only if their sizes have the same name
const uint CUT = 16; // channels per basic block: LLVM schedules large ones badly
#define ALL_BLOCKS(P) P(0) P(1) P(2) P(3) P(4) P(5) P(6) P(7) P(8) P(9) P(10) P(11) P(12) P(13) P(14) P(15)

uint s, group, block, first, rows, wdyn;
uint t[MB];
bool mine[MB]; // lanes beyond the last decision repeat it; nothing is live for them

// Returns decision i of slot s: `repeat` per step.
uint decision(uint i) { return (i / arg.repeat * arg.S + s) * arg.repeat + i % arg.repeat; }
uint blocks() { return (arg.decisions + ROWS - 1) / ROWS; }

// A zero unknown to the compiler: a lane index with it is read through the stack, which costs less than a shuffle.
uint zero() { return gl_NumWorkGroups.z - 1; }

bool use_slot(uint slot) {
    s = stack_aligned(slot, arg.N);
    if (s >= arg.S)
        return false;
    first = s * arg.N, rows = segment_rows(arg.rows, s, arg.N);
    wdyn = s / arg.per_group * 3 * PAIRS;
    return true;
}
void use_block(uint b) {
    block = b;
    [[unroll]] for (uint m = 0; m < MB; m++) {
        uint i = (b * MB + m) * LANES + lane();
        mine[m] = i < arg.decisions;
        t[m] = decision(min(i, arg.decisions - 1));
    }
}

// Finds the keys from `start`, a multiple of 32, that this lane's decisions allow: bit r is key start + r. Returns the
// union over all lanes.
uint live_from(out uint own[MB], uint start) {
    uint count = min(rows - start, 32), any = 0;
    [[unroll]] for (uint m = 0; m < MB; m++) {
        own[m] = mine[m] ? at_u(arg.allowed, t[m] * ((arg.N + 31) / 32) + start / 32) & 0xffffffffu >> 32 - count : 0;
        any |= own[m];
    }
    return lanes_or(any);
}
// Returns the next R of `any`, and whether each decision allows them. If fewer are left, the first one fills up, live
// for none.
void next(out uint tile[R], out bool live[CASES], uint start, inout uint any, uint own[MB]) {
    [[unroll]] for (uint r = 0; r < R; r++) {
        tile[r] = any != 0 ? start + findLSB(any) : tile[0];
        [[unroll]] for (uint m = 0; m < MB; m++)
            live[m * R + r] = (own[m] & any & -any) != 0;
        any &= any - min(any, 1);
    }
}

// Prefetch: waiting for cache lines one by one would take half of the time. Part 0 to 2 of the slot's rows of a tensor
// like kvl, the decisions' own channels, or their dynamic features.
void touch_keys(ptr p, uint part) {
    [[dont_unroll]] for (uint start = 0; start < rows; start += LANES)
        [[unroll]] for (uint c = 0; c < WIDE; c += LINE)
            touch(p, (first + min(start + lane(), rows - 1)) * 3 * D + part * D + group * WIDE + c);
}
void touch_own(ptr p) {
    [[unroll]] for (uint m = 0; m < MB; m++)
        [[unroll]] for (uint c = 0; c < WIDE; c += LINE)
            touch(p, t[m] * D + group * WIDE + c);
}

void touch_dyn() {
    if (DYN == 1) [[unroll]] for (uint m = 0; m < MB; m++)
        [[dont_unroll]] for (uint start = 0; start < rows; start += LINE)
            touch(arg.dyn, t[m] * arg.N + start);
}
float dyn_of(uint m, uint key) { return DYN == 1 ? at(arg.dyn, t[m] * arg.N + key) : 0.0; }

// Vector r of R by channels: lane l has channels 2p and 2p + 1, p = k * LANES + l, in part k.
void load_vector(inout vec2 x[TILE], uint r, ptr p, uint from) {
    [[unroll]] for (uint k = 0; k < VECTORS; k++)
        x[r * VECTORS + k] = load2(p, from + min(k * LANES + lane(), HALF - 1));
}
// Part 0 to 2, key, value or logit key, of R keys.
void load_keys(inout vec2 x[TILE], uint tile[R], uint part) {
    [[unroll]] for (uint r = 0; r < R; r++)
        load_vector(x, r, arg.kvl, (first + tile[r]) * 3 * PAIRS + part * PAIRS + group * HALF);
}
float channel(vec2 x[TILE], uint r, uint c) {
    return subgroupBroadcast(x[r * VECTORS + c / 2 / LANES][c % 2], c / 2 % LANES + zero());
}

// The decisions' own channels of a tensor (T, D). In parts: see below.
#define LOAD_BLOCK(part) if ((part) * CUT < WIDE && zero() <= (part)) \
    [[unroll]] for (uint m = 0; m < MB; m++) \
        [[unroll]] for (uint i = (part) * CUT / 2; i < min((part) * CUT / 2 + CUT / 2, HALF); i++) { \
            vec2 y = load2(p, t[m] * PAIRS + group * HALF + i) * scale; \
            x[m * WIDE + 2 * i] = y.x, x[m * WIDE + 2 * i + 1] = y.y; \
        }
void load_own(out float x[OWN], ptr p, float scale) {
    ALL_BLOCKS(LOAD_BLOCK)
}
void store_own(ptr p, float x[OWN]) {
    [[unroll]] for (uint m = 0; m < MB; m++)
        if (mine[m]) [[unroll]] for (uint i = 0; i < HALF; i++)
            store2(p, t[m] * PAIRS + group * HALF + i, vec2(x[m * WIDE + 2 * i], x[m * WIDE + 2 * i + 1]));
}
void clear_own(out float x[OWN]) {
    [[unroll]] for (uint i = 0; i < OWN; i++)
        x[i] = 0;
}

// The two sums over channels or keys, in parts of CUT channels. The condition, always true, ends a basic block.
// Unrolled by hand, because compilers do not unroll loops with a condition in the body.
#define PART(i, FORMULA) if ((i) * CUT < WIDE && zero() <= (i) * CUT) \
    [[unroll]] for (uint c = (i) * CUT; c < min((i) * CUT + CUT, WIDE); c++) \
        [[unroll]] for (uint r = 0; r < count; r++) { \
            float z = channel(y, r, c); \
            [[unroll]] for (uint m = 0; m < MB; m++) FORMULA \
        }
#define BLOCKS4(i, FORMULA) PART(i, FORMULA) PART(i + 1, FORMULA) PART(i + 2, FORMULA) PART(i + 3, FORMULA)
#define BLOCKS(FORMULA) BLOCKS4(0, FORMULA) BLOCKS4(4, FORMULA) BLOCKS4(8, FORMULA) BLOCKS4(12, FORMULA)

// sum[m, r, h] += x_mh . y_rh for the first `count` vectors y.
void dots(inout float sum[HEADS], float x[OWN], vec2 y[TILE], const uint count) {
    BLOCKS(sum[m * EACH + r * G + c / CHANNELS] += x[m * WIDE + c] * z;)
}
// The same: sum_mh += sum_r x[m, r, h] y_rh.
void sums(inout float sum[OWN], float x[HEADS], vec2 y[TILE], const uint count) {
    BLOCKS(sum[m * WIDE + c] += x[m * EACH + r * G + c / CHANNELS] * z;)
}

// Rows of a tensor (T, D) by the channels of their heads: those of the block's decisions.
void load_rows(out float x[SPREAD], ptr p) {
    [[unroll]] for (uint m = 0; m < MB; m++)
        if (zero() <= m) [[unroll]] for (uint j = 0; j < LANES; j++) {
            uint row = subgroupBroadcast(t[m], j) * D + group * WIDE;
            [[unroll]] for (uint i = 0; i < G * HV; i++)
                x[((m * LANES) + j) * G * HV + i] = at(p, row + i / HV * CHANNELS + min(i % HV * LANES + lane(), CHANNELS - 1));
        }
}
// to[r, h] += sum over decisions of coefficient[m, r, h] x_h, for `count` rows of `to`, which start at from[r].
void collect(ptr to, uint from[R], float coefficient[HEADS], float x[SPREAD], const uint count) {
    float sum[EACH * HV];
    [[unroll]] for (uint i = 0; i < EACH * HV; i++)
        sum[i] = 0;
    [[unroll]] for (uint m = 0; m < MB; m++)
        if (zero() <= m) [[unroll]] for (uint j = 0; j < LANES; j++)
            [[unroll]] for (uint i = 0; i < count * G * HV; i++)
                sum[i] += subgroupBroadcast(coefficient[m * EACH + i / HV], j + zero()) *
                    x[((m * LANES) + j) * G * HV + i % (G * HV)];
    [[unroll]] for (uint i = 0; i < count * G * HV; i++) {
        uint c = i % HV * LANES + lane(), n = from[i / (G * HV)] + group * WIDE + i / HV % G * CHANNELS + c;
        if (c < CHANNELS)
            at(to, n) += sum[i];
    }
}

// Returns the index of du for a decision and key.
uint du_at(uint m, uint key) { return (((s * blocks() + block) * MB + m) * arg.N + key) * LANES + lane(); }
