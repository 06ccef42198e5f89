// Shared by the two forms of the matrix product C = A B. For each group C (M, N), A (M, K), B (K, N):
//     y  = x W     A = x               B = W               M = rows in use, K = in,  N = out
//     dx = dy W'   A = dy              B = W, transposed   M = rows in use, K = out, N = in
//     dW = x' dy   A = x, transposed   B = dy              M = in, K = rows in use, N = out
// The last one comes in slabs of `depth` rows of K, each with one more row of C behind it: the column sums of B, which
// are the bias's gradient.
// Lanes lie along the columns of C: lane l has columns 2l and 2l + 1 of each of TV spans of 2 LANES columns.
layout(constant_id = LINEAR_FORM) const uint FORM = 0; // LINEAR_...
layout(constant_id = LINEAR_KU) const uint KU = 4; // steps along K at a time
const bool A_TRANSPOSED = (FORM & LINEAR_A_TRANSPOSED) != 0, B_TRANSPOSED = (FORM & LINEAR_B_TRANSPOSED) != 0;
const bool A_MASKED = (FORM & LINEAR_A_MASKED) != 0, B_MASKED = (FORM & LINEAR_B_MASKED) != 0;
const bool GUARD = (FORM & LINEAR_GUARD) != 0; // sizes that are odd or not multiples of the tile
const uint SPAN = 2 * LANES;

// This worker's part: its first group, slab and row, and this lane's first column.
uint group, slab, row, column;
bool share(const uint spans, uint rows) {
    uint columns = (arg.N + spans * SPAN - 1) / (spans * SPAN), blocks = (rows + arg.block - 1) / arg.block;
    uint parts = blocks * ((arg.K + arg.depth - 1) / arg.depth), w = worker();
    uint part = w / columns % parts * arg.stride % parts;
    group = w / columns / parts;
    slab = part / blocks;
    row = part % blocks * arg.block;
    column = w % columns * spans * SPAN + 2 * lane();
    return group < arg.groups;
}

uint begin, M, K; // the first row in use; limited to the rows in use
void use_rows(uint g) {
    bool all = is_null(arg.rows);
    uint used = all ? (A_TRANSPOSED ? arg.K : arg.M) : at_u(arg.rows, 2 * g + 1);
    begin = all ? 0 : at_u(arg.rows, 2 * g);
    M = A_TRANSPOSED ? arg.M : used;
    K = A_TRANSPOSED ? used : arg.K;
}

// Where this group's matrices start.
uint a_start() { return group * arg.a_stride + begin * (A_TRANSPOSED ? arg.M : arg.K); }
uint b_start() { return A_TRANSPOSED ? group * arg.b_stride + begin * arg.N : group % arg.weights * arg.b_stride; }
uint c_start() {
    return (arg.sum > 1 ? 0 : group) * arg.c_stride + slab * arg.slab_stride + (A_TRANSPOSED ? 0 : begin * arg.N);
}

// Loads the elements i and j floats ahead, neighbours unless GUARD.
vec2 fetch(cursor p, uint i, uint j) {
    return GUARD ? vec2(read1(ahead(p, i)), read1(ahead(p, j))) : read2(ahead(p, i));
}
// The same for dy, which counts only where y > 0 after a ReLU.
vec2 fetch_masked(const bool masked, cursor p, ptr tensor, uint i, uint j) {
    vec2 x = fetch(p, i, j);
    return masked ? mix(vec2(0), x, greaterThan(fetch(beside(p, tensor, arg.mask), i, j), vec2(0))) : x;
}
// Loads columns n and n + 1 of the row at p, never beyond the matrix.
vec2 fetch_columns(cursor p, uint n) { return fetch(p, GUARD ? min(n, arg.N - 1) : n, min(n + 1, arg.N - 1)); }
void put_columns(cursor p, uint n, vec2 x) {
    if (!GUARD)
        write2(ahead(p, n), x);
    else {
        if (n < arg.N)
            write1(ahead(p, n), x.x);
        if (n + 1 < arg.N)
            write1(ahead(p, n + 1), x.y);
    }
}

// Returns the row of the residual for row r of this group.
cursor residual_row(uint r) {
    uint i = group * (arg.c_stride / arg.N) + begin + r;
    return cursor_at(arg.residual, (is_null(arg.source) ? i : at_u(arg.source, i)) * arg.N);
}
// A ReLU if low is 0, the identity if it is -infinity. Preserves NaN, which max() may not.
#define MINUS_INFINITY uintBitsToFloat(0xff800000u)
vec2 at_least(vec2 x, float low) { return mix(x, vec2(low), lessThan(x, vec2(low))); }
