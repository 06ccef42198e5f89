#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(norm2);

// Worker w sums the squares of its own segment of pairs: part[w].
const uint UNROLL = 8;
void main() {
    uint w = worker();
    if (w >= NORM2_PARTS)
        return;
    uint pairs = arg.count / 2, part = (pairs + NORM2_PARTS - 1) / NORM2_PARTS;
    uint i = min(w * part, pairs), end = min(i + part, pairs);
    vec2 sum[2] = vec2[2](vec2(0), vec2(0));
    for (; i + UNROLL * LANES <= end; i += UNROLL * LANES) {
        [[unroll]] for (uint k = 0; k < UNROLL; k++) {
            vec2 x = load2(arg.x, i + k * LANES + lane());
            sum[k % 2] += x * x;
        }
    }
    for (; i < end; i += LANES) {
        if (i + lane() < end) {
            vec2 x = load2(arg.x, i + lane());
            sum[0] += x * x;
        }
    }
    vec2 both = sum[0] + sum[1];
    float total = both.x + both.y;
    if (arg.count % 2 == 1 && w == NORM2_PARTS - 1 && lane() == 0) { // the float without a partner
        float last = at(arg.x, arg.count - 1);
        total += last * last;
    }
    total = subgroupAdd(total);
    if (subgroupElect())
        at(arg.part, w) = total;
}
