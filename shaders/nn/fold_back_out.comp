#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(fold);

// dout[g, i, o] += sum_r dy[g, r, 2D + i] w[g, r, 2D + o]. A subgroup per (g, i) and LANES columns o.
void main() {
    uint D = arg.D, blocks = (D + LANES - 1) / LANES, row = worker() / blocks, o = worker() % blocks * LANES + lane();
    if (row >= arg.G * D || o >= D)
        return;
    uint g = row / D, i = row % D;
    float sum = at(arg.dout, row * D + o);
    for (uint r = 0; r < arg.R; r++) {
        uint from = (g * arg.R + r) * 3 * D, w = arg.shared_w != 0 ? r * 3 * D : from;
        sum += at(arg.y, from + 2 * D + i) * at(arg.w, w + 2 * D + o);
    }
    at(arg.dout, row * D + o) = sum;
}
