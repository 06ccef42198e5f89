#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
ARGUMENTS(mean_back);

const uint ROWS = 4; // rows read before any is written; beyond the last row, the last is read and written again
void main() {
    uint s = worker() / SPREAD;
    if (s >= arg.S)
        return;
    uint first = segment_first(arg.first, s, arg.N), n = segment_rows(arg.rows, s, arg.N);
    for_columns(column) {
        vec2 share = row_load(arg.dmean, s, column) / float(max(n, 1));
        for (uint start = 0; start < n; start += ROWS) {
            vec2 dx[ROWS];
            [[unroll]] for (uint r = 0; r < ROWS; r++)
                dx[r] = row_load(arg.dx, first + min(start + r, n - 1), column);
            [[unroll]] for (uint r = 0; r < ROWS; r++)
                row_store(arg.dx, first + min(start + r, n - 1), column, dx[r] + share);
        }
    }
}
