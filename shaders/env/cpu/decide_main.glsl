// A worker takes TS trajectories of a slot through several decisions.
void main() {
    arg = arguments.value;
    uint w = stack_aligned(worker(), arg.N), per_slot = arg.count / TS, slot = w / per_slot;
    lead = slot * arg.repeat + arg.offset + w % per_slot * TS;
    if (slot >= arg.S)
        return;
    uint extra = slot / arg.slots_per_group * (arg.stride / 2);
    if (CHOOSE != CHOOSE_FOLLOW) [[dont_unroll]] for (uint start = 0; start < arg.N; start += LANES)
        touch_row(slot * arg.N + min(start + lane(), arg.N - 1));
    vec2 fixed_[VECTORS];
    load_channels(fixed_, arg.fixed_, slot * PAIRS);
    [[dont_unroll]] for (uint j = arg.from; j < arg.to && goes_on(); j++) {
        if (!is_null(arg.trace_state))
            save_trace(j);
        uint action = 0;
        if (CHOOSE == CHOOSE_FOLLOW)
            action = at_u(arg.action_given, j * arg.T + lead + min(lane(), TS - 1));
        else
            action = decide(fixed_, extra, slot, j);
        [[dont_unroll]] for (uint k = 0; k < TS; k++) {
            t = lead + k;
            advance(subgroupBroadcast(action, k));
        }
        subgroupBarrier();
    }
    uint reached = 0; // as advance() of other kernels counts it at every decision
    [[unroll]] for (uint k = 0; k < TS; k++)
        reached = max(reached, word_of(k, RULES_STEPS) + (word_of(k, RULES_DONE) == 0 ? 1 : 0));
    if (lane() == 0)
        atomicMax(at_u(arg.unfinished, 0), reached);
    touch_end(zero() != 0, arg.logp);
}
