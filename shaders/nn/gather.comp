#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rows.glsl"
ARGUMENTS(gather);

// A worker's rows; each lane reads the index of one.
const uint ROWS = LANES < GATHER_ROWS ? LANES : GATHER_ROWS;
void main() {
    uint start = worker() * ROWS, mine = GATHER_NONE;
    if (lane() < ROWS && start + lane() < arg.count)
        mine = at_u(arg.index, start + lane());
    uint row[ROWS];
    [[unroll]] for (uint r = 0; r < ROWS; r++)
        row[r] = subgroupBroadcast(mine, r);
    [[dont_unroll]] for (uint column = chunk_column(0); column < D; column += CHUNK) {
        [[unroll]] for (uint r = 0; r < ROWS; r++) {
            vec2 x = vec2(0);
            if (row[r] != GATHER_NONE)
                x = row_load(arg.x, row[r], column);
            if (start + r < arg.count)
                row_store(arg.y, start + r, column, x);
        }
    }
}
