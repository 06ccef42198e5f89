// Greedy decoding: one trajectory per decoder, with the most probable action at every decision.
#include "search/strategy.h"

static bool options(struct decoding *decoding, uint32_t n)
{
    (void)n;
    decoding->samples = decoding->width = decoding->expand = 1;
    decoding->temperature = 1;
    return false;
}

static uint64_t plan(const struct view *view, const struct run_shape *shape)
{
    return run_rollout_bytes(view, shape, GREEDY);
}

static bool run(struct run *run, const struct view *view)
{
    return run_rollout(run, view, GREEDY);
}

const struct strategy strategy_greedy = {
    "greedy",
    MDAM_DECODE_GREEDY,
    options,
    plan,
    run,
    run_rollout_results,
    run_rollout_finish,
};
