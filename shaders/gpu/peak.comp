#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(peak);

// What a device can do at best: multiply-adds that wait for nothing but themselves, then loads that wait for each other.
void main() {
    uint i = worker() * LANES + lane(), place = 0;
    float x[PEAK_CHAINS];
    [[unroll]] for (uint k = 0; k < PEAK_CHAINS; k++)
        x[k] = arg.a * float(i + k);
    for (uint n = 0; n < arg.loops; n++) {
        [[unroll]] for (uint repeat = 0; repeat < PEAK_REPEATS; repeat++)
            [[unroll]] for (uint k = 0; k < PEAK_CHAINS; k++)
                x[k] = x[k] * arg.a + arg.b;
    }
    for (uint n = 0; n < arg.hops; n++)
        place = at_u(arg.next, place);
    float sum = float(place);
    [[unroll]] for (uint k = 0; k < PEAK_CHAINS; k++)
        sum += x[k];
    at(arg.to, i) = sum;
}
