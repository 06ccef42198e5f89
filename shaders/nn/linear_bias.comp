#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(linear_reduce);

// The column sums of dy, where y > 0 if it went through a ReLU, over each slab's rows: a worker for each slab and LANES
// columns. Four sums, taken together at the end.
void main() {
    uint blocks = (arg.out_ + LANES - 1) / LANES, w = worker(), n = w % blocks * LANES + lane();
    uint slab = w / blocks % arg.slabs, group = w / blocks / arg.slabs;
    if (group >= arg.groups || n >= arg.out_)
        return;
    uint used = any(notEqual(arg.rows, uvec2(0))) ? at_u(arg.rows, group) : arg.R;
    uint begin = slab * arg.depth, end = min(begin + arg.depth, used);
    bool masked = any(notEqual(arg.mask, uvec2(0)));
    vec4 sum = vec4(0);
    for (uint r = begin; r < end; r += 4)
        [[unroll]] for (uint i = 0; i < 4; i++) {
            uint at_ = (group * arg.R + min(r + i, end - 1)) * arg.out_ + n;
            float x = at(arg.dy, at_);
            bool counts = r + i < end && (!masked || at(arg.mask, at_) > 0.0);
            sum[i] += counts ? x : 0.0;
        }
    uint each = (arg.in_ + 1) * arg.out_;
    at(arg.slab, (group * arg.slabs + slab) * each + arg.in_ * arg.out_ + n) = (sum.x + sum.y) + (sum.z + sum.w);
}
