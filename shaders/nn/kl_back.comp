#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/kl.glsl"
ARGUMENTS(kl_back);

// One lane per instance; not called for a single decoder.
void main() {
    uint b = worker() * LANES + lane(), stride = arg.B * arg.N;
    if (b >= arg.B)
        return;
    float scale = at(arg.dkl, b) / float(arg.M - 1);
    for (uint n = 0; n < arg.N; n++) {
        uint i = b * arg.N + n;
        across a = decoders(arg.logp, i, arg.M, stride);
        for (uint m = 0; m < arg.M; m++) {
            float x = at(arg.logp, i + m * stride);
            if (a.live)
                at(arg.dlogp, i + m * stride) += scale * (exp(x) * (x - a.mean + 1) - a.mean_p);
        }
    }
}
