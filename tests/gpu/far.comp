#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "far_args.h"
ARGUMENTS_FAR(far);

void main() {
    uint i = worker() * LANES + lane();
    if (i >= arg.count)
        return;
    float sum = 0;
    for (uint k = 0; k < FAR_TERMS; k++)
        if (!is_null(arg.from[k]))
            sum += arg.factor[k] * at(arg.from[k], i);
    at(arg.to, i) = sum;
}
