#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(fold);
#include "lib/fold.glsl"

// dout[g, i, o] += sum_r dy[g, r, 2D + i] w[g, r, 2D + o].
void main() {
    uint D = arg.D;
    FoldPart part = fold_part(arg.G, D, D);
    if (!part.any)
        return;
    uint g = part.group, to = g * D + part.first, o = min(part.column, D - 1);
    float sum[FOLD_ROWS];
    [[unroll]] for (uint r = 0; r < FOLD_ROWS; r++)
        sum[r] = at(arg.dout, (to + min(r, part.rows - 1)) * D + o);
    fold_product(sum, arg.y, g * arg.R * 3 * D + 2 * D + part.first, 1, 3 * D, part.rows, arg.w,
        (arg.shared_w != 0 ? 0 : g * arg.R * 3 * D) + 2 * D + o, 3 * D, arg.R);
    if (part.column == D)
        return;
    [[unroll]] for (uint r = 0; r < FOLD_ROWS; r++) {
        if (r < part.rows)
            at(arg.dout, (to + r) * D + o) = sum[r];
    }
}
