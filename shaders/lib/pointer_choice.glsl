// Chooses an action by the log-probabilities of a trajectory's nodes in shared memory: `values` from `base` on, of
// lib/pointer_choose.glsl. `draw_step` is the number of the decision, from 1, for draws.

// A draw takes the first node whose cumulative probability exceeds it; if rounding leaves the sum below the draw, the
// last node with a probability. If none has one, the first allowed node. The sum goes along the nodes.
uint drawn(float draw) {
    uint last = 0, first = BEAM_NONE; // + 1; the first allowed one
    float sum = 0;
    [[dont_unroll]] for (uint start = 0; start < arg.N; start += LANES) {
        uint n = start + lane();
        float x = n < arg.N ? known(values[base + n]) : MASKED, p = x > 0.5 * MASKED ? exp(x) : 0.0, below = 0;
        [[unroll]] for (uint i = 0; i < LANES; i++) {
            below = lane() == i ? sum : below;
            sum += subgroupBroadcast(p, i);
        }
        first = x > 0.5 * MASKED ? min(first, n) : first;
        last = p > 0 && below <= draw ? n + 1 : last;
    }
    first = subgroupMin(first);
    last = subgroupMax(last);
    return last > 0 ? last - 1 : first == BEAM_NONE ? 0 : first;
}

// Sorts nodes by falling probability, equal ones by index, and returns the log-probability of the node that follows the
// pair (after, before). After the last one it returns MASKED and sets `node` to BEAM_NONE.
float next_best(float after, uint before, out uint node) {
    float max_logit = MASKED;
    node = BEAM_NONE;
    [[dont_unroll]] for (uint n = lane(); n < arg.N; n += LANES) {
        float x = known(values[base + n]);
        if ((x < after || (x == after && n > before)) && x > max_logit)
            max_logit = x, node = n;
    }
    float whole = subgroupMax(max_logit);
    node = subgroupMin(max_logit == whole ? node : BEAM_NONE);
    return whole;
}

// Returns the action, in all lanes.
uint choose() {
    uint action = 0, how = THEN == CHOOSE_GREEDY ? TAUGHT_GREEDY : TAUGHT_SAMPLE;
    if (THEN == CHOOSE_GIVEN || THEN == CHOOSE_TAUGHT)
        how = action = at_u(arg.given, t);
    if (THEN != CHOOSE_GIVEN && how == TAUGHT_GREEDY) {
        next_best(-2 * MASKED, 0, action);
        action = action == BEAM_NONE ? 0 : action;
    }
    if (THEN != CHOOSE_GIVEN && how == TAUGHT_SAMPLE)
        action = drawn(rng_unit(
            rng_draw(arg.seed, RNG_SAMPLE, at_u(arg.number, t), at_u(arg.stream, t), draw_step()).x));
    if (lane() == 0) {
        float logp = values[base + action];
        if (logp < 0.5 * MASKED && action == 0)
            logp = 0; // finished: no node was allowed
        at_u(arg.action, t) = action;
        at(arg.chosen, t) = logp;
        if (!is_null(arg.total))
            at(arg.total, t) += logp;
    }
    return action;
}
