#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(fold);

// Gradients of fold.comp (dy in place of y): dw += dy, its last third times `out`. A subgroup per row of w and LANES
// columns; a shared w collects from the groups in order.
void main() {
    uint D = arg.D, blocks = (3 * D + LANES - 1) / LANES, row = worker() / blocks;
    uint column = worker() % blocks * LANES + lane();
    bool shared_w = arg.shared_w != 0;
    if (row >= (shared_w ? arg.R : arg.G * arg.R) || column >= 3 * D)
        return;
    float sum = at(arg.dw, row * 3 * D + column);
    for (uint k = 0; k < (shared_w ? arg.G : 1); k++) {
        uint g = shared_w ? k : row / arg.R, from = (shared_w ? g * arg.R + row : row) * 3 * D;
        if (column < 2 * D) {
            sum += at(arg.y, from + column);
        } else {
            for (uint i = 0; i < D; i++)
                sum += at(arg.y, from + 2 * D + i) * at(arg.out_, (g * D + i) * D + column - 2 * D);
        }
    }
    at(arg.dw, row * 3 * D + column) = sum;
}
