#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
ARGUMENTS(mean_back);

const uint ROWS = 8; // rows read before the loop goes round
void main() {
    uint s = worker() / CHUNKS, column = chunk_column(worker() % CHUNKS);
    if (s >= arg.S || outside_row(column))
        return;
    uint first = segment_first(arg.first, s, arg.N), n = segment_rows(arg.rows, s, arg.N);
    vec2 share = row_load(arg.dmean, s, column) / float(max(n, 1));
    for (uint start = 0; start < n; start += ROWS) {
        [[unroll]] for (uint r = 0; r < ROWS; r++) {
            uint row = first + start + r;
            if (start + r < n)
                row_store(arg.dx, row, column, row_load(arg.dx, row, column) + share);
        }
    }
}
