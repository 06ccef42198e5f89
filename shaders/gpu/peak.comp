#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(peak);

// Peak rates of a device: multiply-adds that depend only on themselves, then loads that depend on each other.
void main() {
    uint i = worker() * LANES + lane(), index = 0;
    float x[PEAK_CHAINS];
    [[unroll]] for (uint k = 0; k < PEAK_CHAINS; k++)
        x[k] = arg.a * float(i + k);
    for (uint n = 0; n < arg.loops; n++) {
        [[unroll]] for (uint repeat = 0; repeat < PEAK_REPEATS; repeat++)
            [[unroll]] for (uint k = 0; k < PEAK_CHAINS; k++)
                x[k] = x[k] * arg.a + arg.b;
    }
    for (uint n = 0; n < arg.hops; n++)
        index = at_u(arg.next, index);
    float sum = float(index);
    [[unroll]] for (uint k = 0; k < PEAK_CHAINS; k++)
        sum += x[k];
    at(arg.to, i) = sum;
}
