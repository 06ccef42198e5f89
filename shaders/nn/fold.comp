#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(fold);
#include "lib/fold.glsl"

// The logit key's columns of w (G, R, 3D), or of one w (R, 3D) for all groups, times the transposed output projection:
// y[g, r, 2D + i] = sum_o w[g, r, 2D + o] out[g, i, o]; the other columns are copied.
void main() {
    uint D = arg.D;
    FoldPart part = fold_part(arg.G, arg.R, D);
    if (!part.any)
        return;
    uint to = part.group * arg.R + part.first, from = arg.shared_w != 0 ? part.first : to, i = min(part.column, D - 1);
    float sum[FOLD_ROWS];
    [[unroll]] for (uint r = 0; r < FOLD_ROWS; r++)
        sum[r] = 0;
    fold_product(sum, arg.w, from * 3 * D + 2 * D, 3 * D, 1, part.rows, arg.out_, (part.group * D + i) * D, 1, D);
    if (part.column == D)
        return;
    for (uint r = 0; r < part.rows; r++) {
        at(arg.y, (to + r) * 3 * D + i) = at(arg.w, (from + r) * 3 * D + i);
        at(arg.y, (to + r) * 3 * D + D + i) = at(arg.w, (from + r) * 3 * D + D + i);
    }
    [[unroll]] for (uint r = 0; r < FOLD_ROWS; r++) {
        if (r < part.rows)
            at(arg.y, (to + r) * 3 * D + 2 * D + i) = sum[r];
    }
}
