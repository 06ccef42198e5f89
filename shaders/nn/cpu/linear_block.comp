#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/cursor.glsl"
#include "lib/cpu/stack.glsl"
#include "lib/cpu/touch.glsl"
ARGUMENTS(linear);
#include "lib/linear.glsl"
layout(constant_id = LINEAR_TV) const uint TV = 2;
layout(constant_id = LINEAR_MR) const uint MR = 8; // rows of C at a time; even if A is transposed
layout(constant_id = LINEAR_TK) const uint TK = 128; // depth of the block of B, a multiple of SPAN, at most 16 KU

// The form for CPUs. A block of B, TK x TV SPAN, is kept in private values: they lie on the stack, from where they are
// read as plain vectors, while every other read is a gather. A loop goes through the rows, MR at a time: more would not
// fit into a processor's cache of instructions. The values of A are read once and spread by broadcasts.
const uint STRIP = 16; // rows whose memory is asked for together, a multiple of MR
const uint A_STEPS = A_TRANSPOSED ? LANES : SPAN; // that one value of A in each lane serves
const uint LINES = TV * SPAN / LINE; // in a row of this worker's B or C
vec2 b[TK * TV], c[MR * TV];
vec2 a[A_TRANSPOSED ? TK / A_STEPS * MR / 2 : TK / A_STEPS * MR];
vec2 bias[TV]; // or, where A is transposed, the sums of B's columns, which are the bias's gradient
uint r, r_begin, r_end, k_start, k0, k_end, c_first, filled;

void load_b() {
    uint start = b_start();
    [[unroll]] for (uint i = 0; i < TK * TV; i += 2) {
        uint v = i / 2 % TV, k = i / 2 / TV * 2, n = column + v * SPAN; // rows k and k + 1, columns n and n + 1
        uint n0 = GUARD ? min(n, arg.N - 1) : n, n1 = min(n + 1, arg.N - 1);
        uint i0 = k0 + k, i1 = i0 + 1;
        if (GUARD || A_TRANSPOSED)
            i0 = min(i0, k_end - 1), i1 = min(i1, k_end - 1);
        vec2 p, q;
        if (B_TRANSPOSED) {
            vec2 s = fetch(cursor_at(arg.b, start + n0 * arg.K), i0, i1);
            vec2 t = fetch(cursor_at(arg.b, start + n1 * arg.K), i0, i1);
            p = vec2(s.x, t.x), q = vec2(s.y, t.y);
        } else {
            p = fetch_masked(B_MASKED, cursor_at(arg.b, start + i0 * arg.N), arg.b, n0, n1);
            q = fetch_masked(B_MASKED, cursor_at(arg.b, start + i1 * arg.N), arg.b, n0, n1);
        }
        if (GUARD || A_TRANSPOSED) {
            p = k0 + k < k_end ? p : vec2(0);
            q = k0 + k + 1 < k_end ? q : vec2(0);
        }
        b[k * TV + v] = p;
        b[(k + 1) * TV + v] = q;
        if (A_TRANSPOSED)
            bias[v] += p + q;
    }
}

// Rows beyond the last repeat it: they compute and write the same.
uint row_of(uint m) { return min(r + m, r_end - 1); }

void load_a() {
    uint start = a_start();
    [[unroll]] for (uint i = 0; i < TK / A_STEPS; i++)
        [[unroll]] for (uint m = 0; m < MR; m += A_TRANSPOSED ? 2 : 1) {
            uint k = k0 + i * A_STEPS + (A_TRANSPOSED ? lane() : 2 * lane());
            if (A_TRANSPOSED)
                a[(i * MR + m) / 2] =
                    fetch(cursor_at(arg.a, start + min(k, k_end - 1) * arg.M), row_of(m), row_of(m + 1));
            else
                a[i * MR + m] = fetch_masked(A_MASKED, cursor_at(arg.a, start + row_of(m) * arg.K), arg.a,
                    GUARD ? min(k, K - 1) : k, min(k + 1, K - 1));
        }
}

// Asks for the cache lines of A and C for a strip of rows or, where A is transposed, once for the next steps' B.
// A processor waits about as long for many lines as for one.
void touch_ahead() {
    uint n = column - 2 * lane();
    if (A_TRANSPOSED) {
        const uint NEXT = 4 * LANES;
        if (r == r_begin) [[dont_unroll]] for (uint i = 0; i < TK * LINES; i += NEXT)
            [[unroll]] for (uint j = 0; j < NEXT; j += LANES) {
                uint line = i + j + lane();
                touch(arg.b, b_start() + min(k0 + TK + line / LINES, K - 1) * arg.N +
                    min(n + line % LINES * LINE, arg.N - 1));
            }
    } else if ((r - r_begin) % STRIP == 0) {
        [[unroll]] for (uint i = 0; i < STRIP * TK / LINE; i += LANES) {
            uint m = (i + lane()) / (TK / LINE), k = k0 + (i + lane()) % (TK / LINE) * LINE;
            touch(arg.a, a_start() + row_of(m) * arg.K + min(k, K - 1));
        }
        [[unroll]] for (uint i = 0; i < STRIP * LINES; i += LANES) {
            uint m = (i + lane()) / LINES;
            touch(arg.c, c_first + row_of(m) * arg.N + min(n + (i + lane()) % LINES * LINE, arg.N - 1));
        }
    }
}

// KU steps along K. The condition ends a basic block: LLVM orders very large ones badly, but at each end the driver blends
// every sum with its value before.
void steps(const uint k) {
    if (k0 + k < k_end) [[unroll]] for (uint i = k; i < k + KU; i++)
        [[unroll]] for (uint m = 0; m < MR; m++) {
            // A lane number that the compiler does not know is read through the stack, which costs less than a shuffle.
            uint j = i / A_STEPS * MR + m;
            float f = A_TRANSPOSED ? subgroupBroadcast(a[j / 2][m % 2], i % LANES + arg.zero)
                               : subgroupBroadcast(a[j][i % 2], i % SPAN / 2 + arg.zero);
            [[unroll]] for (uint v = 0; v < TV; v++)
                c[m * TV + v] = f * b[i * TV + v] + c[m * TV + v];
        }
}
// Unrolled by hand: compilers leave a loop alone whose body has a condition.
#define STEPS1(i) if ((i) * KU < TK) steps((i) * KU);
#define STEPS4(i) STEPS1(i) STEPS1(i + 1) STEPS1(i + 2) STEPS1(i + 3)

// MR rows of the result.
void multiply() {
    bool start = k0 == k_start;
    cursor c_at[MR];
    [[unroll]] for (uint m = 0; m < MR; m++)
        c_at[m] = cursor_at(arg.c, c_first + row_of(m) * arg.N);
    [[unroll]] for (uint i = 0; i < MR * TV; i++)
        c[i] = start && !A_TRANSPOSED ? bias[i % TV] : vec2(0);
    if (!A_TRANSPOSED && (!start || r < filled)) [[unroll]] for (uint i = 0; i < MR * TV; i++) {
        vec2 before = fetch_columns(c_at[i / TV], column + i % TV * SPAN);
        c[i] += start && row_of(i / TV) >= filled ? vec2(0) : before;
    }
    if (!is_null(arg.residual) && start) [[unroll]] for (uint m = 0; m < MR; m++) {
        cursor p = residual_row(row_of(m));
        [[unroll]] for (uint v = 0; v < TV; v++)
            c[m * TV + v] += fetch_columns(p, column + v * SPAN);
    }
    STEPS4(0) STEPS4(4) STEPS4(8) STEPS4(12)
    // A sum over many rows is more accurate as a sum of sums.
    if (A_TRANSPOSED && (!start || r < filled)) [[unroll]] for (uint i = 0; i < MR * TV; i++)
        c[i] += fetch_columns(c_at[i / TV], column + i % TV * SPAN);
    float low = (arg.mode & LINEAR_RELU) != 0 && k0 + TK >= k_end ? 0.0 : MINUS_INFINITY;
    [[unroll]] for (uint i = 0; i < MR * TV; i++)
        put_columns(c_at[i / TV], column + i % TV * SPAN, at_least(c[i], low));
}

void main() {
    if (!share(TV, arg.M))
        return;
    column = stack_aligned(column, arg.M);
    r_begin = row;
    filled = (arg.mode & LINEAR_ADD) != 0 ? ~0u : 0; // rows below already hold something to add to
    for (uint s = 0; s < arg.sum; s++, group++) {
        use_rows(group);
        r_end = min(r_begin + arg.block, M);
        k_start = slab * arg.depth;
        k_end = min(k_start + arg.depth, K);
        c_first = c_start();
        if (r_begin >= r_end || k_start >= k_end)
            continue;
        [[unroll]] for (uint v = 0; v < TV; v++)
            bias[v] = vec2(0);
        if (!is_null(arg.bias) && (!A_TRANSPOSED || r_begin == 0)) [[unroll]] for (uint v = 0; v < TV; v++)
            bias[v] = fetch_columns(cursor_at(arg.bias, group % arg.weights * arg.bias_stride), column + v * SPAN);
        [[dont_unroll]] for (k0 = k_start; k0 < k_end; k0 += TK) {
            load_b();
            [[dont_unroll]] for (r = r_begin; r < r_end; r += MR) {
                touch_ahead();
                load_a();
                multiply();
            }
        }
        filled = max(filled, r_end);
        if (A_TRANSPOSED && r_begin == 0 && (!is_null(arg.bias) || arg.slab_stride != 0)) {
            cursor to = arg.slab_stride != 0 ? cursor_at(arg.c, c_first + arg.M * arg.N)
                                            : cursor_at(arg.bias, group % arg.weights * arg.bias_stride);
            [[unroll]] for (uint v = 0; v < TV; v++)
                put_columns(to, column + v * SPAN, bias[v]);
        }
    }
    touch_end(arg.zero != 0, arg.c);
}
