// Tiles of A and B on their way from device memory to shared memory, for linear_shared.comp; included behind
// lib/linear.glsl. A whole tile is fetched into registers and stored later, or copied at once; a tile at a border is
// filled with 0.
#include "lib/quads.glsl"
layout(constant_id = LINEAR_BM) const uint BM = 64;
layout(constant_id = LINEAR_AHEAD) const bool AHEAD = true; // the next tiles stay in registers meanwhile
const uint THREADS = LINEAR_THREADS, BN = LINEAR_BN, BK = LINEAR_BK, TM = 8, TN = BM * BN / TM / THREADS;
const uint MG = TM / 4, NG = TN / 4, TX = BN / TN;
const uint A_ROW = BM / 4 + 1, B_ROW = BN / 4 + 1;                 // vectors in a row of shared memory
const uint A_QUADS = (A_TRANSPOSED ? BM : BK) / 4, B_QUADS = (B_TRANSPOSED ? BK : BN) / 4; // in a row of device memory
const uint A_LOADS = BM * BK / 4 / THREADS, B_LOADS = BN * BK / 4 / THREADS;
shared vec4 a_tile[2 * BK * A_ROW];
shared vec4 b_tile[2 * BK * B_ROW];
shared vec4 column_sums[AHEAD ? 1 : THREADS]; // of B, by threads that have few registers

uint thread, m0, n0;
vec4 c[TM * NG], a_next[A_LOADS], b_next[B_LOADS], column_sum;
// A thread loads pairs of neighbours, which share the computation of an address, but for B of a gradient of weights, whose
// sum by columns it keeps, and for y = x W where NVIDIA's compiler makes the shorter loop without (tools/shares).
const uint A_RUN = FORM == 0 && AHEAD ? 1 : 2, B_RUN = A_TRANSPOSED ? 1 : A_RUN;
uint a_bytes[A_LOADS / A_RUN], b_bytes[B_LOADS / B_RUN]; // of this thread's pairs, from where the tiles begin

vec4 read4(const bool masked, ptr p, ptr mask, uint bytes, const uint i) {
    vec4 x = quads_at(p, bytes).value[i];
    return masked ? mix(vec4(0), x, greaterThan(quads_at(mask, bytes).value[i], vec4(0))) : x;
}

// Row and first column of a thread's i-th load, in a tile whose rows have that many quads in memory, of which it loads
// `run` neighbours.
uvec2 corner(const uint quads, const uint run, const uint i) {
    uint load = i / run * THREADS + thread;
    return uvec2(load / (quads / run), (load % (quads / run) * run + i % run) * 4);
}

// Where tiles lie in shared memory for this thread: first on one side, then on the other.
uint a_read, b_read, a_write, b_write, a_side, b_side;
void find_sides() {
    uvec2 a = corner(A_QUADS, A_RUN, 0), b = corner(B_QUADS, B_RUN, 0);
    a_side = BK * A_ROW;
    b_side = BK * B_ROW;
    a_read = a_side + thread / TX;
    b_read = b_side + thread % TX;
    a_write = A_TRANSPOSED ? a.x * A_ROW + a.y / 4 : a.y * A_ROW + a.x / 4;
    b_write = B_TRANSPOSED ? b.y * B_ROW + b.x / 4 : b.x * B_ROW + b.y / 4;
}
void change_sides() {
    a_read -= a_side, a_write += a_side, a_side = -a_side;
    b_read -= b_side, b_write += b_side, b_side = -b_side;
    barrier();
}

// One load's values to shared memory, K outermost.
const uint A_SPAN = THREADS * A_RUN / A_QUADS, B_SPAN = THREADS * B_RUN / B_QUADS; // rows that all threads load at once
void put_a(const uint i, vec4 x) {
    if (A_TRANSPOSED)
        a_tile[a_write + i / A_RUN * A_SPAN * A_ROW + i % A_RUN] = x;
    else
        [[unroll]] for (uint k = 0; k < 4; k++)
            a_tile[a_write + i / A_RUN * (A_SPAN / 4) + (i % A_RUN * 4 + k) * A_ROW][thread * A_RUN / A_QUADS % 4] = x[k];
}
void put_b(const uint i, vec4 x) {
    if (!B_TRANSPOSED)
        b_tile[b_write + i / B_RUN * B_SPAN * B_ROW + i % B_RUN] = x;
    else
        [[unroll]] for (uint k = 0; k < 4; k++)
            b_tile[b_write + i / B_RUN * (B_SPAN / 4) + (i % B_RUN * 4 + k) * B_ROW][thread * B_RUN / B_QUADS % 4] = x[k];
    if (A_TRANSPOSED && AHEAD)
        column_sum += x;
    else if (A_TRANSPOSED)
        column_sums[thread] += x;
}

// The next tiles of A in memory, and the first ones of B with the bytes from there to the next: NVIDIA's compiler makes
// the shortest loops of that (tools/shares).
ptr a_at, b_at, a_mask, b_mask;
uint b_passed;
void find_tiles(uint k0) {
    uint a = a_start() + (A_TRANSPOSED ? k0 * arg.M + m0 : m0 * arg.K + k0);
    uint b = b_start() + (B_TRANSPOSED ? n0 * arg.K + k0 : k0 * arg.N + n0);
    a_at = further(arg.a, a), a_mask = further(arg.mask, a);
    b_at = further(arg.b, b), b_mask = further(arg.mask, b);
    b_passed = 0;
}
void pass_tiles() {
    uint a = BK * (A_TRANSPOSED ? arg.M : 1);
    a_at = further(a_at, a), a_mask = further(a_mask, a);
    b_passed += 4 * BK * (B_TRANSPOSED ? 1 : arg.N);
}

// Where a load of B lies behind its first tile. In a gradient of weights loads follow from the first one, which takes
// fewer registers.
uint b_offset(const uint i) {
    return A_TRANSPOSED ? b_bytes[0] + (b_passed + i * B_SPAN * (arg.N << 2)) : b_passed + b_bytes[i / B_RUN];
}

// A whole tile, in two steps with work between them.
void fetch_tiles() {
    [[unroll]] for (uint i = 0; i < A_LOADS; i++)
        a_next[i] = read4(A_MASKED, a_at, a_mask, a_bytes[i / A_RUN], i % A_RUN);
    [[unroll]] for (uint i = 0; i < B_LOADS; i++)
        b_next[i] = read4(B_MASKED, b_at, b_mask, b_offset(i), i % B_RUN);
    pass_tiles();
}
void put_tiles() {
    [[unroll]] for (uint i = 0; i < A_LOADS; i++)
        put_a(i, a_next[i]);
    [[unroll]] for (uint i = 0; i < B_LOADS; i++)
        put_b(i, b_next[i]);
}

// The same at once, where registers are few.
void copy_tiles() {
    [[unroll]] for (uint i = 0; i < A_LOADS; i++)
        put_a(i, read4(A_MASKED, a_at, a_mask, a_bytes[i / A_RUN], i % A_RUN));
    [[unroll]] for (uint i = 0; i < B_LOADS; i++)
        put_b(i, read4(B_MASKED, b_at, b_mask, b_offset(i), i % B_RUN));
    pass_tiles();
}

// Four elements of a matrix with rows of `length`, 0 where they lie outside.
vec4 read_edge(const bool masked, ptr p, ptr mask, uint length, uvec2 from, uvec2 end) {
    vec4 x = vec4(0);
    uint first = from.x * length + from.y;
    if (from.x >= end.x || from.y >= end.y)
        return x;
    if (!GUARD)
        return read4(masked, p, mask, first << 2, 0);
    [[unroll]] for (uint i = 0; i < 4; i++) {
        if (from.y + i < end.y && (!masked || at(mask, first + i) > 0.0))
            x[i] = at(p, first + i);
    }
    return x;
}

// A tile at a border, with k steps left, 0 outside.
void copy_edge(uint k) {
    uint m = M - m0, n = arg.N - n0;
    ptr b = further(b_at, b_passed / 4), mask = further(b_mask, b_passed / 4);
    [[unroll]] for (uint i = 0; i < A_LOADS; i++)
        put_a(i, read_edge(A_MASKED, a_at, a_mask, A_TRANSPOSED ? arg.M : arg.K, corner(A_QUADS, A_RUN, i),
                     A_TRANSPOSED ? uvec2(k, m) : uvec2(m, k)));
    [[unroll]] for (uint i = 0; i < B_LOADS; i++)
        put_b(i, read_edge(B_MASKED, b, mask, B_TRANSPOSED ? arg.K : arg.N, corner(B_QUADS, B_RUN, i),
                     B_TRANSPOSED ? uvec2(n, k) : uvec2(k, n)));
    pass_tiles();
}

// Positions of loads if only rows and columns whose results are not stored lie outside.
void find_loads() {
    [[unroll]] for (uint i = 0; i < A_LOADS / A_RUN; i++) {
        uvec2 at_ = corner(A_QUADS, A_RUN, i * A_RUN);
        a_bytes[i] = A_TRANSPOSED ? (at_.x * arg.M + min(at_.y, arg.M - m0 - 4 * A_RUN)) << 2
                                  : (min(at_.x, M - m0 - 1) * arg.K + at_.y) << 2;
    }
    [[unroll]] for (uint i = 0; i < B_LOADS / B_RUN; i++) {
        uvec2 at_ = corner(B_QUADS, B_RUN, i * B_RUN);
        b_bytes[i] = B_TRANSPOSED ? (min(at_.x, arg.N - n0 - 1) * arg.K + at_.y) << 2
                                  : (at_.x * arg.N + min(at_.y, arg.N - n0 - 4 * B_RUN)) << 2;
    }
}
