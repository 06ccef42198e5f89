#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/cursor.glsl"
ARGUMENTS(linear);
#include "lib/linear.glsl"

// The form for GPUs: a workgroup has a tile of BM x BN of the result, a thread TM x TN of it in registers. BK steps along
// K of A and B lie in shared memory, and the next ones are on their way meanwhile. Sums go along K from its first
// element on, as in linear_tile.comp, so that both give the same bits. Nothing depends on the number of lanes.
#include "lib/linear_shared.glsl"

// A thread has rows 4 ty .. 4 ty + 3 of each of MG parts of the tile, likewise columns.
void add_steps(uint k0, const uint count) {
    [[unroll]] for (uint k = 0; k < count; k++) {
        vec4 a[MG], b[NG];
        [[unroll]] for (uint i = 0; i < MG; i++)
            a[i] = a_tile[a_read + (k0 + k) * A_ROW + i * (BM / MG / 4)];
        [[unroll]] for (uint i = 0; i < NG; i++)
            b[i] = b_tile[b_read + (k0 + k) * B_ROW + i * (BN / NG / 4)];
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
    // Rows outside may be read as others, because their results are not stored, unless other groups add to them.
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
    // The last whole tile, then the border.
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
    ptr p = further(arg.c, c_start() + r * arg.N);
    if (A_TRANSPOSED) { // a slab of a gradient of weights
        write_row(p, 0, n, x);
        return;
    }
    if (!is_null(arg.bias))
        x += read_row(further(arg.bias, group % arg.weights * arg.bias_stride), 0, n);
    if (!is_null(arg.residual)) {
        uint i = group * (arg.c_stride / arg.N) + begin + r;
        x += read_row(further(arg.residual, (is_null(arg.source) ? i : at_u(arg.source, i)) * arg.N), 0, n);
    }
    if ((arg.mode & LINEAR_ADD) != 0)
        x += read_row(p, 0, n);
    write_row(p, 0, n, (arg.mode & LINEAR_RELU) != 0 ? mix(x, vec4(0), lessThan(x, vec4(0))) : x);
}

// One more row of the result: the sums of B's columns, by threads that have read parts of the same ones.
void store_sums() {
    if (!AHEAD)
        column_sum = column_sums[thread];
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
    uint home = group, max_rows = 0; // rows in use in one of the groups at least
    [[unroll]] for (uint i = 0; i < TM * NG; i++)
        c[i] = vec4(0);
    column_sum = vec4(0);
    if (A_TRANSPOSED && !AHEAD)
        column_sums[thread] = vec4(0); // no other thread uses it
    if (A_TRANSPOSED) { // all rows of the result, and one group
        use_rows(group);
        max_rows = M;
        find_loads();
        add_product();
    }
    for (uint s = 0; !A_TRANSPOSED && s < arg.sum; s++) {
        group = home + s;
        use_rows(group);
        max_rows = max(max_rows, M);
        if (m0 >= M)
            continue;
        find_loads();
        add_product();
    }
    group = home;
    [[unroll]] for (uint i = 0; i < TM * NG; i++) {
        uint r = m0 + i / NG / 4 * (BM / MG) + thread / TX * 4 + i / NG % 4;
        uint n = n0 + i % NG * (BN / NG) + thread % TX * 4;
        if (r < max_rows && n < arg.N)
            store_row(r, n, c[i]);
    }
    if (A_TRANSPOSED && m0 == 0)
        store_sums();
}
