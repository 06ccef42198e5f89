// A product of two matrices, FOLD_ROWS rows of A at a time, lanes along the columns of B.

// sum[r] += sum_k A[r, k] B[k, column], k < K; A[r, k] is at a + r * a_row + k * a_col, B[k, column] of this lane's
// column at b + k * b_row. A has `rows` rows. Each lane reads A for one k and broadcasts it.
void fold_product(inout float sum[FOLD_ROWS], ptr p, uint a, uint a_row, uint a_col, uint rows, ptr q, uint b, uint b_row,
    uint K) {
    for (uint start = 0; start < K; start += LANES) {
        float x[FOLD_ROWS];
        [[unroll]] for (uint r = 0; r < FOLD_ROWS; r++)
            x[r] = start + lane() < K ? at(p, a + min(r, rows - 1) * a_row + (start + lane()) * a_col) : 0;
        [[unroll]] for (uint j = 0; j < LANES; j++) {
            float y = at(q, b + min(start + j, K - 1) * b_row);
            [[unroll]] for (uint r = 0; r < FOLD_ROWS; r++)
                sum[r] += subgroupBroadcast(x[r], j) * y;
        }
    }
}

// The rows of a worker, within one of `groups` groups of `rows` rows; and this lane's column of `columns`, or `columns`
// if there is none.
struct FoldPart {
    bool any;
    uint group, first, rows, column;
};
FoldPart fold_part(uint groups, uint rows, uint columns) {
    uint across = (columns + LANES - 1) / LANES, down = (rows + FOLD_ROWS - 1) / FOLD_ROWS, block = worker() / across;
    FoldPart part;
    part.group = block / down;
    part.any = part.group < groups;
    part.first = block % down * FOLD_ROWS;
    part.rows = min(rows - part.first, FOLD_ROWS);
    part.column = min(worker() % across * LANES + lane(), columns);
    return part;
}
