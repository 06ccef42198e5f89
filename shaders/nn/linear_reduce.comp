#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(linear_reduce);

// dW += sum of the slabs, db likewise, in the order of the groups and slabs; slabs beyond the rows in use are undefined.
// A lane for each element of a slab.
void main() {
    uint slab_floats = arg.weights + arg.biases, blocks = (slab_floats + LANES - 1) / LANES, w = worker();
    uint result = w / blocks, i = w % blocks * LANES + lane();
    if (result >= arg.results || i >= (is_null(arg.db) ? arg.weights : slab_floats))
        return;
    float sum = 0;
    for (uint g = result; g < arg.groups; g += arg.results) { // one group, or all
        uint used = is_null(arg.rows) ? arg.R : at_u(arg.rows, 2 * g + 1);
        uint slabs = (used + arg.depth - 1) / arg.depth, first = g * arg.slabs * slab_floats + i;
        for (uint s = 0; s < slabs; s++)
            sum += at(arg.slab, first + s * slab_floats);
    }
    if (i < arg.weights)
        at(arg.dw, result * arg.stride + i) += sum;
    else
        at(arg.db, result * arg.biases + i - arg.weights) += sum;
}
