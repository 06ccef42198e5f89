#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(choose_back);

// A lane has one trajectory.
void main() {
    uint t = worker() * LANES + lane();
    if (t >= arg.T)
        return;
    float coefficient = at(arg.coefficient, t % arg.coefficients);
    uint action = at_u(arg.action, t);
    for (uint n = 0; n < arg.N; n++)
        at(arg.dlogp, t * arg.N + n) = n == action ? coefficient : 0;
}
