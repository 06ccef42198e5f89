#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(fold);
#include "lib/fold.glsl"

// Gradients of fold.comp (dy in place of y): dw += dy, its last third times `out`; a shared w collects from the groups in
// order.
void main() {
    uint D = arg.D, decisions = arg.shared_w != 0 ? arg.G : 1;
    FoldPart part = fold_part(arg.shared_w != 0 ? 1 : arg.G, arg.R, D);
    if (!part.any)
        return;
    uint to = part.group * arg.R + part.first, i = min(part.column, D - 1);
    float sum[FOLD_ROWS];
    [[unroll]] for (uint r = 0; r < FOLD_ROWS; r++)
        sum[r] = at(arg.dw, (to + min(r, part.rows - 1)) * 3 * D + 2 * D + i);
    for (uint g = part.group; g < part.group + decisions; g++)
        fold_product(sum, arg.y, (g * arg.R + part.first) * 3 * D + 2 * D, 3 * D, 1, part.rows, arg.out_, g * D * D + i, D,
            D);
    if (part.column == D)
        return;
    [[unroll]] for (uint r = 0; r < FOLD_ROWS; r++) {
        if (r < part.rows)
            at(arg.dw, (to + r) * 3 * D + 2 * D + i) = sum[r];
    }
    for (uint g = part.group; g < part.group + decisions; g++) {
        for (uint r = 0; r < part.rows; r++) {
            uint from = (g * arg.R + part.first + r) * 3 * D + i;
            at(arg.dw, (to + r) * 3 * D + i) += at(arg.y, from);
            at(arg.dw, (to + r) * 3 * D + D + i) += at(arg.y, from + D);
        }
    }
}
