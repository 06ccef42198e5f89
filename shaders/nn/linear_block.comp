#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/place.glsl"
ARGUMENTS(linear);
#include "lib/linear.glsl"
layout(constant_id = 6) const uint TK = 128; // depth of the block of B, a multiple of SPAN, at most 32 KU

// The form for CPUs. A block of B, TK x TV SPAN, is kept in private values: they lie on the stack, from where they are
// read as plain vectors, while every other read is a gather. A loop goes through the rows, MR at a time; the values of
// A are read once and spread by broadcasts.
vec2 b[TK * TV], c[MR * TV], a[MR];
const uint A_STEPS = A_TURNED ? LANES : SPAN; // that one reading of A serves
place a_at[A_TURNED ? TK / LANES : MR];       // this lane's A: its row of each LANES steps, or its part of each row
place c_at[MR];
uint r, k0, k_end;

void load_b() {
    uint start = group * arg.b_step;
    [[unroll]] for (uint i = 0; i < TK * TV; i += 2) {
        uint v = i / 2 % TV, k = i / 2 / TV * 2, n = column + v * SPAN; // rows k and k + 1, columns n and n + 1
        uint n0 = GUARD ? min(n, arg.N - 1) : n, n1 = min(n + 1, arg.N - 1);
        uint i0 = k0 + k, i1 = i0 + 1;
        if (GUARD || A_TURNED)
            i0 = min(i0, k_end - 1), i1 = min(i1, k_end - 1);
        vec2 p, q;
        if (B_TURNED) {
            vec2 s = fetch(place_at(arg.b, start + n0 * arg.K), i0, i1);
            vec2 t = fetch(place_at(arg.b, start + n1 * arg.K), i0, i1);
            p = vec2(s.x, t.x), q = vec2(s.y, t.y);
        } else {
            p = fetch_masked(B_MASKED, place_at(arg.b, start + i0 * arg.N), arg.b, n0, n1);
            q = fetch_masked(B_MASKED, place_at(arg.b, start + i1 * arg.N), arg.b, n0, n1);
        }
        if (GUARD || A_TURNED) {
            p = k0 + k < k_end ? p : vec2(0);
            q = k0 + k + 1 < k_end ? q : vec2(0);
        }
        b[k * TV + v] = p;
        b[(k + 1) * TV + v] = q;
    }
}

void load_a(const uint k) {
    if (A_TURNED) {
        [[unroll]] for (uint m = 0; m < MR; m += 2)
            a[m / 2] = fetch_masked(A_MASKED, a_at[k / LANES], arg.a, GUARD ? min(r + m, M - 1) : r + m,
                min(r + m + 1, M - 1));
    } else {
        uint i = k0 + k + 2 * lane();
        [[unroll]] for (uint m = 0; m < MR; m++)
            a[m] = fetch_masked(A_MASKED, a_at[m], arg.a, GUARD ? min(i, K - 1) : k, min(i + 1, K - 1));
    }
}

// KU steps along K. The condition ends a basic block: LLVM orders large ones badly.
void steps(const uint k) {
    if (k % A_STEPS == 0)
        load_a(k);
    if (k0 + k < k_end) [[unroll]] for (uint i = k; i < k + KU; i++)
        [[unroll]] for (uint m = 0; m < MR; m++) {
            // A lane number that the compiler does not know is read through the stack, which costs less than a shuffle.
            float f = A_TURNED ? subgroupBroadcast(a[m / 2][m % 2], i % LANES + arg.zero)
                               : subgroupBroadcast(a[m][i % 2], i % SPAN / 2 + arg.zero);
            [[unroll]] for (uint v = 0; v < TV; v++)
                c[m * TV + v] = f * b[i * TV + v] + c[m * TV + v];
        }
}
// Unrolled by hand: compilers leave a loop alone whose body has a condition.
#define STEPS1(i) if ((i) * KU < TK) steps((i) * KU);
#define STEPS4(i) STEPS1(i) STEPS1(i + 1) STEPS1(i + 2) STEPS1(i + 3)
#define STEPS16(i) STEPS4(i) STEPS4(i + 4) STEPS4(i + 8) STEPS4(i + 12)

void main() {
    if (!share())
        return;
    // A private array with a variable index makes LLVM align the stack.
    uint align[2];
    align[arg.zero] = column;
    align[arg.zero + 1] = column;
    column = align[arg.M & 1];

    uint filled = arg.add != 0 ? ~0u : 0; // rows below already hold something to add to
    uint first = row;
    for (uint s = 0; s < arg.sum; s++, group++) {
        use_rows(group);
        uint r_end = min(first + arg.block, M), k_start = slab * arg.depth;
        uint c_start = (arg.sum > 1 ? 0 : group) * arg.c_step + slab * arg.slab_step;
        k_end = min(k_start + arg.depth, K);
        vec2 bias[TV];
        [[unroll]] for (uint v = 0; v < TV; v++)
            bias[v] = vec2(0);
        if (has(arg.bias)) [[unroll]] for (uint v = 0; v < TV; v++)
            bias[v] = fetch_columns(place_at(arg.bias, group * arg.bias_step), column + v * SPAN);
        [[dont_unroll]] for (k0 = k_start; k0 < k_end; k0 += TK) {
            bool start = k0 == k_start;
            float low = arg.relu != 0 && k0 + TK >= k_end ? 0.0 : MINUS_INFINITY;
            if (first < r_end)
                load_b();
            if (A_TURNED) [[unroll]] for (uint i = 0; i < TK / LANES; i++)
                a_at[i] = place_at(arg.a, group * arg.a_step + min(k0 + i * LANES + lane(), k_end - 1) * arg.M);
            [[dont_unroll]] for (r = first; r < r_end; r += MR) {
                // Rows beyond the last repeat it: they compute and write the same.
                [[unroll]] for (uint m = 0; m < MR; m++) {
                    uint i = min(r + m, r_end - 1);
                    if (!A_TURNED)
                        a_at[m] = place_at(arg.a, group * arg.a_step + i * arg.K + (GUARD ? 0 : k0 + 2 * lane()));
                    c_at[m] = place_at(arg.c, c_start + i * arg.N);
                }
                [[unroll]] for (uint i = 0; i < MR * TV; i++)
                    c[i] = start ? bias[i % TV] : vec2(0);
                if (!start || r < filled) [[unroll]] for (uint i = 0; i < MR * TV; i++) {
                    vec2 before = fetch_columns(c_at[i / TV], column + i % TV * SPAN);
                    c[i] += start && min(r + i / TV, r_end - 1) >= filled ? vec2(0) : before;
                }
                if (has(arg.residual) && start) [[unroll]] for (uint m = 0; m < MR; m++) {
                    place p = residual_row(min(r + m, r_end - 1));
                    [[unroll]] for (uint v = 0; v < TV; v++)
                        c[m * TV + v] += fetch_columns(p, column + v * SPAN);
                }
                STEPS16(0) STEPS16(16)
                [[unroll]] for (uint i = 0; i < MR * TV; i++)
                    put_columns(c_at[i / TV], column + i % TV * SPAN, at_least(c[i], low));
            }
        }
        filled = max(filled, r_end);
    }
}
