#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
ARGUMENTS(mean);

const uint ROWS = 4; // rows read per iteration; beyond the last row, the last is read again and not added
void main() {
    uint s = worker() / SPREAD;
    if (s >= arg.S)
        return;
    uint first = segment_first(arg.first, s, arg.N), n = segment_rows(arg.rows, s, arg.N);
    for_columns(column) {
        vec2 sum = vec2(0);
        for (uint start = 0; start < n; start += ROWS) {
            [[unroll]] for (uint r = 0; r < ROWS; r++) {
                vec2 x = row_load(arg.x, first + min(start + r, n - 1), column);
                sum += start + r < n ? x : vec2(0);
            }
        }
        row_store(arg.mean, s, column, sum / float(max(n, 1)));
    }
}
