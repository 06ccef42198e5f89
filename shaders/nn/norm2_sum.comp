#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(norm2_sum);

// One worker: the root of the parts' sum, and whether it is a number.
void main() {
    if (worker() > 0)
        return;
    float total = 0;
    for (uint i = 0; i < NORM2_PARTS; i += LANES)
        total += at(arg.part, i + lane());
    total = subgroupAdd(total);
    if (subgroupElect()) {
        // Infinities and NaNs have every exponent bit set; isnan() may be left out where NaNs are not promised.
        bool finite = (floatBitsToUint(total) & 0x7f800000u) != 0x7f800000u;
        at(arg.norm, 0) = sqrt(total);
        at_u(arg.norm, 1) = finite ? 1 : 0;
    }
}
