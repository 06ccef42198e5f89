#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(linear_reduce);

// dW += sum of the slabs, db likewise, in the order of the slabs; those beyond the rows in use hold nothing. A lane for
// each element of a slab.
void main() {
    uint each = (arg.in_ + 1) * arg.out_, blocks = (each + LANES - 1) / LANES, w = worker();
    uint group = w / blocks, i = w % blocks * LANES + lane(), weights = arg.in_ * arg.out_;
    uint results = arg.shared_w != 0 ? 1 : arg.groups;
    if (group >= results || i >= (any(notEqual(arg.db, uvec2(0))) ? each : weights))
        return;
    float sum = 0;
    for (uint g = group; g < arg.groups; g += results) {
        uint used = any(notEqual(arg.rows, uvec2(0))) ? at_u(arg.rows, g) : arg.R;
        uint slabs = (used + arg.depth - 1) / arg.depth, first = g * arg.slabs * each + i;
        for (uint s = 0; s < slabs; s++)
            sum += at(arg.slab, first + s * each);
        if (arg.shared_w == 0)
            break;
    }
    if (i >= weights)
        at(arg.db, group * arg.out_ + i - weights) += sum;
    else
        at(arg.dw, group * weights + (arg.turned != 0 ? i % arg.in_ * arg.out_ + i / arg.in_ : i)) += sum;
}
