// Sampling: draws trajectories with the decoders' probabilities; the best one is the solution.
#include "search/strategy.h"

enum { DEFAULT_SAMPLES = 16 };

static bool options(struct decoding *decoding, uint32_t n)
{
    (void)n;
    decoding->samples = decoding->samples ? decoding->samples : DEFAULT_SAMPLES;
    decoding->temperature = decoding->temperature > 0 ? decoding->temperature : 1;
    decoding->width = decoding->expand = 1;
    return false;
}

static uint64_t plan(const struct view *view, const struct run_shape *shape)
{
    return run_rollout_bytes(view, shape, SAMPLE);
}

static bool run(struct run *run, const struct view *view)
{
    return run_rollout(run, view, SAMPLE);
}

const struct strategy strategy_sample = {
    "sample",
    MDAM_DECODE_SAMPLE,
    options,
    plan,
    run,
    run_rollout_results,
    run_rollout_finish,
};
