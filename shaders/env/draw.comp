#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/kernel.glsl"
#include "lib/rng.glsl"
ARGUMENTS(draw);

// Random instances, one subgroup each, as in src/problem/generate.c, whose header has the scheme.
uint pick(uint number, uint count) {
    uint high, low;
    umulExtended(number, count, high, low);
    return high;
}
uvec4 draw(uint purpose, uint index, uint step_) { return rng_draw(arg.seed, purpose, index, 0, step_); }
vec2 unit2(uvec4 number) { return vec2(rng_unit(number.x), rng_unit(number.y)); }
bool has(uint column) { return (arg.columns & column) != 0; }

// Customers clustered around seeds, the first ones of an instance; both 0 in a uniform layout.
uint clustered = 0, seeds = 0;
void draw_clusters(uint index, uint n) {
    if (arg.layout_ == DRAW_UNIFORM)
        return;
    uvec4 shape = draw(DRAW_SHAPE, index, 1);
    uint kind = arg.layout_ == DRAW_MIXED ? pick(shape.x, 3) : DRAW_CLUSTERED;
    clustered = kind == 0 ? 0 : kind == DRAW_CLUSTERED ? n : n / 2;
    seeds = DRAW_SEEDS_MIN + pick(shape.y, DRAW_SEEDS_MAX - DRAW_SEEDS_MIN + 1);
}

// Returns the position of customer i.
vec2 position(uint index, uint i) {
    vec2 anywhere = unit2(draw(DRAW_NODE, index, i));
    if (i < seeds || i >= clustered)
        return anywhere;
    for (uint try = 0; try < DRAW_TRIES; try++) {
        uvec4 number = rng_draw(arg.seed, DRAW_CLUSTER, index, try, i);
        vec2 centre = unit2(draw(DRAW_NODE, index, pick(number.x, seeds)));
        uint direction = DRAW_RADII + 2 * pick(number.z, DRAW_DIRECTIONS);
        float radius = at(arg.around, pick(number.y, DRAW_RADII));
        precise vec2 offset = radius * vec2(at(arg.around, direction), at(arg.around, direction + 1));
        precise vec2 xy = centre + offset;
        if (all(greaterThanEqual(xy, vec2(0))) && all(lessThan(xy, vec2(1))))
            return xy;
    }
    return anywhere;
}

void main() {
    uint b = worker();
    if (b >= arg.B)
        return;
    uint index = at_u(arg.start, 0) + b, depot = arg.depot;
    uvec4 shape = draw(DRAW_SHAPE, index, 0);
    uint n = arg.n_min + pick(shape.x, arg.n_max - arg.n_min + 1), row = (n - arg.n_min) * DRAW_TABLE;
    uint capacity = at_u(arg.table, row);
    float max_penalty = at(arg.table, row + 2), max_prize = at(arg.table, row + 3);
    if (arg.capacity_max > 0)
        capacity = arg.capacity_min + pick(shape.y, arg.capacity_max - arg.capacity_min + 1);
    vec2 home = unit2(draw(DRAW_DEPOT, index, 0));
    uint prizes = arg.prize == DRAW_PRIZE_MIXED ? pick(shape.w, DRAW_PRIZE_MIXED) : arg.prize;
    draw_clusters(index, n);

    float farthest = 0;
    if (has(DRAW_HAS_PRIZE) && prizes == DRAW_PRIZE_DIST) {
        for (uint i = lane(); i < n; i += LANES)
            farthest = max(farthest, distance(home, position(index, i)));
        farthest = subgroupMax(farthest);
    }
    for (uint v = lane(); v < n + depot; v += LANES) {
        uint node = (b * arg.N + v) * NODE_WORDS, i = v - depot;
        bool customer = v >= depot;
        uvec4 number = draw(DRAW_NODE, index, i);
        vec2 xy = customer ? position(index, i) : home;
        uint demand = 0;
        float prize = 0, real = 0, penalty = 0;
        if (customer && has(DRAW_HAS_DEMAND))
            demand = 1 + pick(number.z, DRAW_DEMAND_MAX);
        if (customer && has(DRAW_HAS_PENALTY)) {
            penalty = rng_unit(number.z) * max_penalty;
            prize = rng_unit(number.w) * max_prize;
        } else if (customer && has(DRAW_HAS_PRIZE)) {
            float level = 1 + float(pick(number.z, 100));
            if (prizes == DRAW_PRIZE_DIST)
                level = 1 + floor(99 * (farthest > 0 ? distance(home, xy) / farthest : 0));
            prize = prizes == DRAW_PRIZE_CONST ? 1 : level * 0.01;
        }
        real = prize;
        if (customer && has(DRAW_HAS_REAL_PRIZE))
            real = rng_unit(draw(DRAW_REAL, index, i).x) * (2 * prize);
        at(arg.nodes, node) = xy.x;
        at(arg.nodes, node + 1) = xy.y;
        at_u(arg.nodes, node + NODE_DEMAND) = demand;
        at(arg.nodes, node + NODE_SHARE) = capacity > 0 ? float(demand) / float(capacity) : 0;
        at(arg.nodes, node + NODE_PRIZE) = prize;
        at(arg.nodes, node + NODE_REAL) = real;
        at(arg.nodes, node + NODE_PENALTY) = penalty;
        at(arg.nodes, node + NODE_HOME) = 0;
    }
    at_u(arg.limits, b) = n + depot;
    float bound = has(DRAW_HAS_MAX_LENGTH) ? at(arg.table, row + 1) : 1;
    if (has(DRAW_HAS_MAX_LENGTH) && arg.length_range >= 0) {
        precise float more = rng_unit(shape.z) * arg.length_range;
        precise float limit = arg.length_min + more;
        bound = limit;
    }
    at_u(arg.limits, arg.B + b) = has(DRAW_HAS_DEMAND) ? capacity : floatBitsToUint(bound);
}
