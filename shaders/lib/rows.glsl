// Rows of D channels with lanes along the channels, two neighbouring channels per lane; segments own the rows (struct
// segments of src/nn/nn.h).
#include "lib/segments.glsl"
layout(constant_id = ROWS_D) const uint D = 128;
layout(constant_id = ROWS_SPREAD) const uint SPREAD = 1;  // workers that share a row's channels
const uint CHUNK = 2 * LANES;                   // channels that a worker covers at once
const uint CHUNKS = (D + CHUNK - 1) / CHUNK;    // chunks in a row
const bool CHUNK_TAIL = D % CHUNK != 0;         // the last chunk has lanes without a channel

uint chunk_column(uint chunk) { return chunk * CHUNK + 2 * lane(); }
bool outside_row(uint column) { return CHUNK_TAIL && column >= D; }

// This worker's columns of the rows of item worker() / SPREAD. CPUs use a loop instead of SPREAD = CHUNKS, so that one
// core reads whole cache lines and rows.
#define for_columns(column)                                                                                            \
    [[dont_unroll]] for (uint column = chunk_column(worker() % SPREAD); column < D; column += SPREAD * CHUNK)

// Loads channels column (even) and column + 1 of a row; with odd D the last lane's second channel does not exist.
vec2 row_load(ptr p, uint row, uint column) {
    if (D % 2 == 0)
        return load2(p, (row * D + column) / 2);
    uint i = row * D + column;
    return vec2(at(p, i), at(p, column + 1 < D ? i + 1 : i));
}
void row_store(ptr p, uint row, uint column, vec2 x) {
    if (D % 2 == 0) {
        store2(p, (row * D + column) / 2, x);
        return;
    }
    at(p, row * D + column) = x.x;
    if (column + 1 < D)
        at(p, row * D + column + 1) = x.y;
}

// Returns x for channels of the row, 0 for channels outside it (k-th chunk).
vec2 in_row(uint k, vec2 x) {
    uint column = chunk_column(k);
    return vec2(!CHUNK_TAIL || column < D ? x.x : 0, !CHUNK_TAIL || column + 1 < D ? x.y : 0);
}

// Returns the rows of group g, which has `per` consecutive segments; called by all lanes together.
uint group_rows(ptr rows, uint g, uint per, uint max_rows) {
    uint n = 0;
    if (is_null(rows))
        return per * max_rows;
    for (uint k = lane(); k < per; k += LANES)
        n += at_u(rows, g * per + k);
    return subgroupAdd(n);
}
