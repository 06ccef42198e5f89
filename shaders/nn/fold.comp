#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(fold);

// The logit key's columns of w (G, R, 3D), or of one w (R, 3D) for all groups, times the transposed output projection:
// y[g, r, 2D + i] = sum_o w[g, r, 2D + o] out[g, i, o]; the other columns are copied. A subgroup per row and LANES columns.
void main() {
    uint D = arg.D, blocks = (3 * D + LANES - 1) / LANES, row = worker() / blocks;
    uint column = worker() % blocks * LANES + lane();
    if (row >= arg.G * arg.R || column >= 3 * D)
        return;
    uint g = row / arg.R, from = (arg.shared_w != 0 ? row % arg.R : row) * 3 * D;
    float y = 0;
    if (column < 2 * D) {
        y = at(arg.w, from + column);
    } else {
        uint out_row = (g * D + column - 2 * D) * D;
        for (uint o = 0; o < D; o++)
            y += at(arg.w, from + 2 * D + o) * at(arg.out_, out_row + o);
    }
    at(arg.y, row * 3 * D + column) = y;
}
