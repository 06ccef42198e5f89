#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/place.glsl"
ARGUMENTS(linear);
#include "lib/linear.glsl"

// The form for GPUs: a workgroup has a tile of BM x BN of the result, a thread TM x TN of it in registers. BK steps along
// K of A and B lie in shared memory, and the next ones are on their way meanwhile. Sums go along K from its first
// element on, as in linear_tile.comp, so that both give the same bits. Nothing depends on the number of lanes.
layout(constant_id = LINEAR_BM) const uint BM = 64;
layout(constant_id = LINEAR_AHEAD) const bool AHEAD = true; // the next tiles stay in registers meanwhile
const uint THREADS = LINEAR_THREADS, BN = LINEAR_BN, BK = LINEAR_BK, TM = 8, TN = BM * BN / TM / THREADS;
const uint MG = TM / 4, NG = TN / 4, TX = BN / TN;
const uint A_ROW = BM / 4 + 1, B_ROW = BN / 4 + 1;                 // vectors in a row of shared memory
const uint A_QUADS = (A_TRANSPOSED ? BM : BK) / 4, B_QUADS = (B_TRANSPOSED ? BK : BN) / 4; // in a row of device memory
const uint A_LOADS = BM * BK / 4 / THREADS, B_LOADS = BN * BK / 4 / THREADS;
shared vec4 a_tile[2 * BK * A_ROW];
shared vec4 b_tile[2 * BK * B_ROW];

uint thread, m0, n0;
vec4 c[TM * NG], a_next[A_LOADS], b_next[B_LOADS], column_sum;
uint a_bytes[A_LOADS], b_bytes[B_LOADS]; // of this thread's loads, from where the tiles begin

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Quad { vec4 value; };
Quad quad_at(ptr p, uint bytes) {
    uint low = p.x + bytes;
    return Quad(ptr(low, p.y + (low < bytes ? 1 : 0)));
}
vec4 read4(const bool masked, ptr p, ptr mask, uint bytes) {
    vec4 x = quad_at(p, bytes).value;
    return masked ? mix(vec4(0), x, greaterThan(quad_at(mask, bytes).value, vec4(0))) : x;
}
ptr further(ptr p, uint floats) {
    uint low = p.x + (floats << 2);
    return ptr(low, p.y + (floats >> 30) + (low < p.x ? 1 : 0));
}

// Row and first column of a thread's i-th load, in a tile whose rows have that many quads in memory.
uvec2 corner(const uint quads, const uint i) {
    uint load = i * THREADS + thread;
    return uvec2(load / quads, load % quads * 4);
}

// Where tiles lie in shared memory for this thread: first on one side, then on the other.
uint a_read, b_read, a_write, b_write, a_side, b_side;
void find_sides() {
    uvec2 a = corner(A_QUADS, 0), b = corner(B_QUADS, 0);
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
void put_a(const uint i, vec4 x) {
    if (A_TRANSPOSED)
        a_tile[a_write + i * (THREADS / A_QUADS) * A_ROW] = x;
    else
        [[unroll]] for (uint k = 0; k < 4; k++)
            a_tile[a_write + i * (THREADS / A_QUADS / 4) + k * A_ROW][thread / A_QUADS % 4] = x[k];
}
void put_b(const uint i, vec4 x) {
    if (!B_TRANSPOSED)
        b_tile[b_write + i * (THREADS / B_QUADS) * B_ROW] = x;
    else
        [[unroll]] for (uint k = 0; k < 4; k++)
            b_tile[b_write + i * (THREADS / B_QUADS / 4) + k * B_ROW][thread / B_QUADS % 4] = x[k];
    if (A_TRANSPOSED)
        column_sum += x;
}

// The next tiles of A and B in memory.
ptr a_at, b_at, a_mask, b_mask;
void find_tiles(uint k0) {
    uint a = group * arg.a_stride + (A_TRANSPOSED ? k0 * arg.M + m0 : m0 * arg.K + k0);
    uint b = group * arg.b_stride + (B_TRANSPOSED ? n0 * arg.K + k0 : k0 * arg.N + n0);
    a_at = further(arg.a, a), a_mask = further(arg.mask, a);
    b_at = further(arg.b, b), b_mask = further(arg.mask, b);
}
void pass_tiles() {
    uint a = BK * (A_TRANSPOSED ? arg.M : 1), b = BK * (B_TRANSPOSED ? 1 : arg.N);
    a_at = further(a_at, a), a_mask = further(a_mask, a);
    b_at = further(b_at, b), b_mask = further(b_mask, b);
}

// A whole tile, in two steps with work between them.
void fetch_tiles() {
    [[unroll]] for (uint i = 0; i < A_LOADS; i++)
        a_next[i] = read4(A_MASKED, a_at, a_mask, a_bytes[i]);
    [[unroll]] for (uint i = 0; i < B_LOADS; i++)
        b_next[i] = read4(B_MASKED, b_at, b_mask, b_bytes[i]);
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
        put_a(i, read4(A_MASKED, a_at, a_mask, a_bytes[i]));
    [[unroll]] for (uint i = 0; i < B_LOADS; i++)
        put_b(i, read4(B_MASKED, b_at, b_mask, b_bytes[i]));
    pass_tiles();
}

// Four elements of a matrix with rows of `length`, 0 where they lie outside.
vec4 read_edge(const bool masked, ptr p, ptr mask, uint length, uvec2 from, uvec2 end) {
    vec4 x = vec4(0);
    uint first = from.x * length + from.y;
    if (from.x >= end.x || from.y >= end.y)
        return x;
    if (!GUARD)
        return read4(masked, p, mask, first << 2);
    [[unroll]] for (uint i = 0; i < 4; i++) {
        if (from.y + i < end.y && (!masked || at(mask, first + i) > 0.0))
            x[i] = at(p, first + i);
    }
    return x;
}

// A tile at a border, with k steps left, 0 outside.
void copy_edge(uint k) {
    uint m = M - m0, n = arg.N - n0;
    [[unroll]] for (uint i = 0; i < A_LOADS; i++)
        put_a(i, read_edge(A_MASKED, a_at, a_mask, A_TRANSPOSED ? arg.M : arg.K, corner(A_QUADS, i),
                     A_TRANSPOSED ? uvec2(k, m) : uvec2(m, k)));
    [[unroll]] for (uint i = 0; i < B_LOADS; i++)
        put_b(i, read_edge(B_MASKED, b_at, b_mask, B_TRANSPOSED ? arg.K : arg.N, corner(B_QUADS, i),
                     B_TRANSPOSED ? uvec2(n, k) : uvec2(k, n)));
    pass_tiles();
}

// A thread has rows 4 ty .. 4 ty + 3 of each of MG parts of the tile, likewise columns.
void add_steps(uint k0, const uint count) {
    [[unroll]] for (uint k = 0; k < count; k++) {
        vec4 a[MG], b[NG];
        [[unroll]] for (uint i = 0; i < NG; i++)
            b[i] = b_tile[b_read + (k0 + k) * B_ROW + i * (BN / NG / 4)];
        [[unroll]] for (uint i = 0; i < MG; i++)
            a[i] = a_tile[a_read + (k0 + k) * A_ROW + i * (BM / MG / 4)];
        [[unroll]] for (uint i = 0; i < TM; i++)
            [[unroll]] for (uint j = 0; j < NG; j++)
                c[i * NG + j] = a[i / 4][i % 4] * b[j] + c[i * NG + j];
    }
}
void add_tiles() {
    if (KU == BK)
        add_steps(0, BK);
    else
        [[dont_unroll]] for (uint k0 = 0; k0 < BK; k0 += KU)
            add_steps(k0, KU);
}

void add_product() {
    uint k = slab * arg.depth, left = max(min(k + arg.depth, K), k) - k;
    // Rows outside may be read as others, because nobody stores their results, unless other groups add to them.
    bool inside = !GUARD && (arg.sum == 1 || m0 + BM <= M);
    find_tiles(k);
    find_sides();
    bool ready = inside && left >= BK; // a tile in shared memory
    if (ready) {
        copy_tiles();
        change_sides();
        [[dont_unroll]] for (; left >= 2 * BK; left -= BK) {
            if (AHEAD)
                fetch_tiles();
            else
                copy_tiles();
            add_tiles();
            if (AHEAD)
                put_tiles();
            change_sides();
        }
    }
    // The last whole tile, then what is at a border.
    [[dont_unroll]] for (; left > 0; left -= min(left, BK)) {
        if (!ready) {
            copy_edge(left);
            change_sides();
        }
        ready = false;
        add_tiles();
    }
    barrier();
}

// Where loads are when nothing lies outside but rows and columns whose results are not stored.
void find_loads() {
    [[unroll]] for (uint i = 0; i < A_LOADS; i++) {
        uvec2 at_ = corner(A_QUADS, i);
        a_bytes[i] = A_TRANSPOSED ? (at_.x * arg.M + min(at_.y, arg.M - m0 - 4)) << 2
                                  : (min(at_.x, M - m0 - 1) * arg.K + at_.y) << 2;
    }
    [[unroll]] for (uint i = 0; i < B_LOADS; i++) {
        uvec2 at_ = corner(B_QUADS, i);
        b_bytes[i] = B_TRANSPOSED ? (min(at_.x, arg.N - n0 - 1) * arg.K + at_.y) << 2
                                  : (at_.x * arg.N + min(at_.y, arg.N - n0 - 4)) << 2;
    }
}

// Four columns of a row, as far as they exist.
vec4 read_row(ptr p, uint first, uint n) {
    if (!GUARD)
        return quad_at(p, (first + n) << 2).value;
    vec4 x;
    [[unroll]] for (uint i = 0; i < 4; i++)
        x[i] = at(p, first + min(n + i, arg.N - 1));
    return x;
}
void write_row(ptr p, uint first, uint n, vec4 x) {
    if (!GUARD)
        quad_at(p, (first + n) << 2).value = x;
    else
        [[unroll]] for (uint i = 0; i < 4; i++)
            if (n + i < arg.N)
                at(p, first + n + i) = x[i];
}

void store_row(uint r, uint n, vec4 x) {
    if (!is_null(arg.bias))
        x += read_row(further(arg.bias, group * arg.bias_stride), 0, n);
    if (!is_null(arg.residual)) {
        uint i = group * arg.M + r;
        x += read_row(further(arg.residual, (is_null(arg.source) ? i : at_u(arg.source, i)) * arg.N), 0, n);
    }
    ptr p = further(arg.c, group * arg.c_stride + slab * arg.slab_stride + r * arg.N);
    if (arg.add != 0)
        x += read_row(p, 0, n);
    write_row(p, 0, n, arg.relu != 0 ? mix(x, vec4(0), lessThan(x, vec4(0))) : x);
}

// One more row of the result: the sums of B's columns, by threads that have read parts of the same ones.
void store_sums() {
    a_tile[thread] = column_sum;
    barrier();
    uint n = n0 + thread * 4;
    if (thread >= B_QUADS || n >= arg.N)
        return;
    for (uint i = thread + B_QUADS; i < THREADS; i += B_QUADS)
        column_sum += a_tile[i];
    store_row(arg.M, n, column_sum);
}

void main() {
    uint columns = (arg.N + BN - 1) / BN, blocks = (arg.M + BM - 1) / BM, slabs = (arg.K + arg.depth - 1) / arg.depth;
    uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    thread = gl_LocalInvocationIndex;
    n0 = tile % columns * BN;
    m0 = tile / columns % blocks * BM;
    slab = tile / columns / blocks % slabs;
    group = tile / columns / blocks / slabs;
    if (group >= arg.groups)
        return;
    uint home = group, most = 0; // rows in use in one of the groups at least
    [[unroll]] for (uint i = 0; i < TM * NG; i++)
        c[i] = vec4(0);
    column_sum = vec4(0);
    for (uint s = 0; s < arg.sum; s++) {
        group = home + s;
        use_rows(group);
        most = max(most, M);
        if (m0 >= M)
            continue;
        find_loads();
        add_product();
    }
    group = home;
    [[unroll]] for (uint i = 0; i < TM * NG; i++) {
        uint r = m0 + i / NG / 4 * (BM / MG) + thread / TX * 4 + i / NG % 4;
        uint n = n0 + i % NG * (BN / NG) + thread % TX * 4;
        if (r < most && n < arg.N)
            store_row(r, n, c[i]);
    }
    if (A_TRANSPOSED && m0 == 0)
        store_sums();
}
