// Greedy decoding: one trajectory per decoder, with the most probable action at every decision.
#include "search/strategy.h"

static bool options(struct decoding *decoding, uint32_t n)
{
    (void)n;
    decoding->samples = decoding->width = decoding->expand = 1;
    decoding->temperature = 1;
    return false;
}

static struct rollout_shape shape_of(const struct run_shape *shape)
{
    return (struct rollout_shape){ .B = shape->B,
        .N = shape->N,
        .S = shape->S,
        .J = shape->J,
        .kind = shape->kind,
        .mode = GREEDY,
        .temperature = 1 };
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

const struct strategy strategy_greedy = {
    "greedy",
    MDAM_DECODE_GREEDY,
    options,
    plan,
    run,
    run_rollout_results,
    run_rollout_finish,
};
