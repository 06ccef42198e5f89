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

static struct rollout_shape shape_of(const struct run_shape *shape)
{
    return (struct rollout_shape){ .B = shape->B,
        .N = shape->N,
        .S = shape->S,
        .J = shape->J,
        .kind = shape->kind,
        .mode = SAMPLE,
        .temperature = shape->decoding.temperature,
        .seed = shape->seed };
}

static uint64_t plan(const struct view *view, const struct run_shape *shape)
{
    const struct rollout_shape rollout = shape_of(shape);
    return rollout_bytes(view, &rollout);
}

static bool run(struct run *run, const struct view *view)
{
    const struct rollout_shape shape = shape_of(&run->shape);
    return run_rollout(run, view, &shape);
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
