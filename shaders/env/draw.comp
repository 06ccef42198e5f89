#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rng.glsl"
ARGUMENTS(draw);

// Random instances, one subgroup each: the twin of src/problem/generate.c, whose header has the scheme.
uint pick(uint number, uint count) {
    uint high, low;
    umulExtended(number, count, high, low);
    return high;
}
uvec4 draw(uint purpose, uint index, uint step_) { return rng_draw(arg.seed, purpose, index, 0, step_); }
vec2 unit2(uvec4 number) { return vec2(rng_unit(number.x), rng_unit(number.y)); }
bool has(uint column) { return (arg.columns & column) != 0; }

void main() {
    uint b = worker();
    if (b >= arg.B)
        return;
    uint index = at_u(arg.start, 0) + b, depot = arg.depot;
    uvec4 shape = draw(DRAW_SHAPE, index, 0);
    uint n = arg.n_min + pick(shape.x, arg.n_max - arg.n_min + 1), row = (n - arg.n_min) * DRAW_TABLE;
    uint capacity = at_u(arg.table, row);
    float penalty_most = at(arg.table, row + 2), prize_most = at(arg.table, row + 3);
    if (arg.capacity_max > 0)
        capacity = arg.capacity_min + pick(shape.y, arg.capacity_max - arg.capacity_min + 1);
    vec2 home = unit2(draw(DRAW_DEPOT, index, 0));

    float farthest = 0;
    if (has(DRAW_HAS_PRIZE) && arg.prize == DRAW_PRIZE_DIST) {
        for (uint i = lane(); i < n; i += LANES)
            farthest = max(farthest, distance(home, unit2(draw(DRAW_NODE, index, i))));
        farthest = subgroupMax(farthest);
    }
    for (uint v = lane(); v < n + depot; v += LANES) {
        uint node = (b * arg.N + v) * NODE_WORDS, i = v - depot;
        bool customer = v >= depot;
        uvec4 number = draw(DRAW_NODE, index, i);
        vec2 place = customer ? unit2(number) : home;
        uint demand = 0;
        float prize = 0, real = 0, penalty = 0;
        if (customer && has(DRAW_HAS_DEMAND))
            demand = 1 + pick(number.z, DRAW_DEMAND_MAX);
        if (customer && has(DRAW_HAS_PENALTY)) {
            penalty = rng_unit(number.z) * penalty_most;
            prize = rng_unit(number.w) * prize_most;
        } else if (customer && has(DRAW_HAS_PRIZE)) {
            float level = 1 + float(pick(number.z, 100));
            if (arg.prize == DRAW_PRIZE_DIST)
                level = 1 + floor(99 * (farthest > 0 ? distance(home, place) / farthest : 0));
            prize = arg.prize == DRAW_PRIZE_CONST ? 1 : level * 0.01;
        }
        real = prize;
        if (customer && has(DRAW_HAS_REAL_PRIZE))
            real = rng_unit(draw(DRAW_REAL, index, i).x) * (2 * prize);
        at(arg.nodes, node) = place.x;
        at(arg.nodes, node + 1) = place.y;
        at_u(arg.nodes, node + NODE_DEMAND) = demand;
        at(arg.nodes, node + NODE_SHARE) = capacity > 0 ? float(demand) / float(capacity) : 0;
        at(arg.nodes, node + NODE_PRIZE) = prize;
        at(arg.nodes, node + NODE_REAL) = real;
        at(arg.nodes, node + NODE_PENALTY) = penalty;
        at(arg.nodes, node + NODE_HOME) = 0;
    }
    at_u(arg.limits, b) = n + depot;
    float bound = has(DRAW_HAS_MAX_LENGTH) ? at(arg.table, row + 1) : 1;
    at_u(arg.limits, arg.B + b) = has(DRAW_HAS_DEMAND) ? capacity : floatBitsToUint(bound);
}
