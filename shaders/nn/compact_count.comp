#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
ARGUMENTS(compact);

// Counts the rows of trajectory t in rows[t] and stores the index of its first row in first[t]. A group may have
// rows already: new ones come after them. One subgroup goes through the group's trajectories in order.
void main() {
    uint g = worker();
    if (g >= arg.G)
        return;
    uint per_group = arg.T / arg.G, words = (arg.N + 31) / 32, used = 0;
    uint begin = arg.appends != 0 ? at_u(arg.whole, 2 * g + 1) : 0;
    for (uint start = 0; start < per_group; start += LANES) {
        uint t = g * per_group + start + lane(), count = 0;
        bool mine = start + lane() < per_group;
        for (uint w = 0; mine && w < words; w++)
            count += bitCount(at_u(arg.keys, t * words + w));
        uint before = subgroupExclusiveAdd(count);
        if (mine) {
            at_u(arg.rows, t) = count;
            at_u(arg.first, t) = g * arg.room + begin + used + before;
        }
        used += subgroupAdd(count);
    }
    at_u(arg.span, 2 * g) = begin;
    at_u(arg.span, 2 * g + 1) = used;
    at_u(arg.whole, 2 * g) = 0;
    at_u(arg.whole, 2 * g + 1) = begin + used;
}
