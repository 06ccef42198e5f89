#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/cursor.glsl"
ARGUMENTS(linear);
#include "lib/linear.glsl"
layout(constant_id = LINEAR_TV) const uint TV = 2;
layout(constant_id = LINEAR_MR) const uint MR = 8; // rows of C at a time; even if A is transposed

// The form for few rows, and for devices without shared memory: a worker has MR rows of TV spans of the result in
// registers and goes along K. KU values of A are read for each row, one in a lane, and broadcast.
vec2 c[MR * TV];

// Two elements of row k of B; 0 beyond K.
vec2 load_b(uint k, uint n, uint k_end) {
    uint start = b_start(), i = GUARD || A_TRANSPOSED ? min(k, k_end - 1) : k;
    uint n0 = GUARD ? min(n, arg.N - 1) : n, n1 = min(n + 1, arg.N - 1);
    vec2 x;
    if (B_TRANSPOSED)
        x = vec2(read1(cursor_at(arg.b, start + n0 * arg.K + i)), read1(cursor_at(arg.b, start + n1 * arg.K + i)));
    else
        x = fetch_masked(B_MASKED, cursor_at(arg.b, start + i * arg.N), arg.b, n0, n1);
    return GUARD || A_TRANSPOSED ? (k < k_end ? x : vec2(0)) : x;
}

float load_a(uint r, uint k) {
    uint i = min(r, A_TRANSPOSED ? arg.M - 1 : M - 1);
    cursor p = cursor_at(arg.a, a_start() + (A_TRANSPOSED ? k * arg.M + i : i * arg.K + k));
    float x = read1(p);
    if (A_MASKED)
        x = read1(beside(p, arg.a, arg.mask)) > 0.0 ? x : 0.0;
    if (A_TRANSPOSED)
        x = r < arg.M ? x : 1.0; // a row of ones makes the column sums of B
    return r < M ? x : 0.0;
}

void add_product() {
    uint k_start = slab * arg.depth, k_end = min(k_start + arg.depth, K);
    [[dont_unroll]] for (uint k0 = k_start; k0 < k_end; k0 += KU) {
        float a[MR];
        [[unroll]] for (uint m = 0; m < MR; m++)
            a[m] = load_a(row + m, min(k0 + lane() % KU, k_end - 1));
        [[unroll]] for (uint k = 0; k < KU; k++) {
            float spread[MR];
            [[unroll]] for (uint m = 0; m < MR; m++)
                spread[m] = subgroupBroadcast(a[m], k);
            [[unroll]] for (uint v = 0; v < TV; v++) {
                vec2 b = load_b(k0 + k, column + v * SPAN, k_end);
                [[unroll]] for (uint m = 0; m < MR; m++)
                    c[m * TV + v] = spread[m] * b + c[m * TV + v];
            }
        }
    }
}

void main() {
    if (!share(TV, A_TRANSPOSED ? arg.M + 1 : arg.M))
        return;
    uint home = group, max_rows = 0; // rows in use in one of the groups at least
    [[unroll]] for (uint i = 0; i < MR * TV; i++)
        c[i] = vec2(0);
    for (uint s = 0; s < arg.sum; s++) {
        group = home + s;
        use_rows(group);
        M += A_TRANSPOSED ? 1 : 0;
        max_rows = max(max_rows, M);
        if (row < M)
            add_product();
    }
    if (row >= max_rows)
        return;
    group = home;
    float low = (arg.mode & LINEAR_RELU) != 0 ? 0.0 : MINUS_INFINITY;
    [[unroll]] for (uint i = 0; i < MR * TV; i++) {
        uint r = min(row + i / TV, max_rows - 1), n = column + i % TV * SPAN;
        cursor p = cursor_at(arg.c, c_start() + r * arg.N);
        vec2 x = c[i];
        if (!is_null(arg.bias))
            x += fetch_columns(cursor_at(arg.bias, group % arg.weights * arg.bias_stride), n);
        if (!is_null(arg.residual))
            x += fetch_columns(residual_row(r), n);
        if ((arg.mode & LINEAR_ADD) != 0)
            x += fetch_columns(p, n);
        if (row + i / TV < max_rows)
            put_columns(p, n, at_least(x, low));
    }
}
