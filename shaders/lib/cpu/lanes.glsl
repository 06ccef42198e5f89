// Mesa's CPU driver iterates over the lanes for subgroup arithmetic and, beyond 8 lanes, for shuffles; constant
// broadcasts are cheap. The order is fixed for a lane count.
float lanes_max(float x) {
    if (LANES == 16) {
        float largest = subgroupBroadcast(x, 0);
        [[unroll]] for (uint j = 1; j < 16; j++)
            largest = max(largest, subgroupBroadcast(x, j));
        return largest;
    }
    if (LANES > 16)
        return subgroupMax(x);
    [[unroll]] for (uint step_ = 1; step_ < LANES; step_ *= 2)
        x = max(x, subgroupShuffleXor(x, step_));
    return x;
}

float lanes_add(float x) {
    if (LANES == 16) {
        float sum = subgroupBroadcast(x, 0);
        [[unroll]] for (uint j = 1; j < 16; j++)
            sum += subgroupBroadcast(x, j);
        return sum;
    }
    if (LANES > 16)
        return subgroupAdd(x);
    [[unroll]] for (uint step_ = 1; step_ < LANES; step_ *= 2)
        x += subgroupShuffleXor(x, step_);
    return x;
}

uint lanes_or(uint x) {
    if (LANES == 16) {
        uint all = subgroupBroadcast(x, 0);
        [[unroll]] for (uint j = 1; j < 16; j++)
            all |= subgroupBroadcast(x, j);
        return all;
    }
    if (LANES > 16)
        return subgroupOr(x);
    [[unroll]] for (uint step_ = 1; step_ < LANES; step_ *= 2)
        x |= subgroupShuffleXor(x, step_);
    return x;
}
bool lanes_any(bool x) { return lanes_or(x ? 1 : 0) != 0; }
uint lanes_ballot(bool x) { return lanes_or(x && lane() < 32 ? 1u << lane() : 0); }
