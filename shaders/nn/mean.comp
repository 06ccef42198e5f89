#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
ARGUMENTS(mean);

const uint ROWS = 8; // rows read before the loop goes round
void main() {
    uint s = worker() / CHUNKS, column = chunk_column(worker() % CHUNKS);
    if (s >= arg.S || outside_row(column))
        return;
    uint first = segment_first(arg.first, s, arg.N), n = segment_rows(arg.rows, s, arg.N);
    vec2 sum = vec2(0);
    for (uint start = 0; start < n; start += ROWS) {
        [[unroll]] for (uint r = 0; r < ROWS; r++) {
            if (start + r < n)
                sum += row_load(arg.x, first + start + r, column);
        }
    }
    row_store(arg.mean, s, column, sum / float(max(n, 1)));
}
