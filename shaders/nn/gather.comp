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
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
        uint row = subgroupBroadcast(mine, r);
        [[unroll]] for (uint k = 0; k < CHUNKS; k++) {
            uint column = chunk_column(k);
            if (start + r < arg.count && !outside_row(column)) {
                vec2 x = vec2(0);
                if (row != GATHER_NONE)
                    x = row_load(arg.x, row, column);
                row_store(arg.y, start + r, column, x);
            }
        }
    }
}
