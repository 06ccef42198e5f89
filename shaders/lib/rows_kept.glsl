// For kernels that hold the rows of a segment in registers, in private arrays of ROWS elements.
#include "lib/rows.glsl"
layout(constant_id = ROWS_KEPT) const uint ROWS = 16;    // rows kept
layout(constant_id = ROWS_FIXED) const uint FIXED = 0;    // rows of every segment, 0: as its table says
layout(constant_id = ROWS_WHOLE) const bool WHOLE = true; // no segment has more than ROWS rows; others are read in pieces

// Both loops unroll. Groups of rows from `count` on are skipped; a group that is partly beyond it works on copies of
// the last row, row min(r, count - 1), which is faster than a branch per row: sums skip them, stores repeat.
const uint GROUP = 4;
#define for_groups(g, count) [[unroll]] for (uint g = 0; g < ROWS; g += GROUP) if (g < count)
#define for_rows(r, g)       [[unroll]] for (uint k_ = 0, r = g; k_ < GROUP; k_++, r++) if (r < ROWS)
