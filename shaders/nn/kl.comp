#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/kl.glsl"
ARGUMENTS(kl);

// One lane per instance.
void main() {
    uint b = worker() * LANES + lane(), stride = arg.B * arg.N;
    if (b >= arg.B)
        return;
    float sum = 0;
    for (uint n = 0; n < arg.N; n++) {
        uint i = b * arg.N + n;
        across a = decoders(arg.logp, i, arg.M, stride);
        for (uint m = 0; m < arg.M; m++) {
            float x = at(arg.logp, i + m * stride);
            sum += a.live ? exp(x) * (x - a.mean) : 0;
        }
    }
    at(arg.kl, b) = arg.M > 1 ? sum / float(arg.M - 1) : 0;
}
