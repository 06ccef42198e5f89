#include "search/strategy.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/error.h"

const struct strategy *const strategies[] = { &strategy_greedy, &strategy_sample, &strategy_beam, NULL };

const struct strategy *strategy_of(enum mdam_decode decode)
{
    for (const struct strategy *const *s = strategies; *s; s++) {
        if ((*s)->decode == decode)
            return *s;
    }
    bug("unknown strategy %d", (int)decode);
}

uint64_t run_bytes(const struct model *model, const struct run_shape *shape)
{
    const struct view view = model_view(model);
    return strategy_of(shape->decoding.decode)->plan(&view, shape);
}

bool run_create(struct run **out, const struct model *model, const struct run_shape *shape)
{
    struct run *run = *out = xcalloc(1, sizeof *run);
    const struct view view = model_view(model);
    run->strategy = strategy_of(shape->decoding.decode);
    run->shape = *shape;
    run->model = model;
    bool ok = run->strategy->run(run, &view);
    if (!ok)
        run_destroy(out);
    return ok;
}

void run_destroy(struct run **slot)
{
    struct run *run = *slot;
    if (!run)
        return;
    run->strategy->finish(run);
    free(run);
    *slot = NULL;
}

bool run_serves(const struct run *run, const struct run_shape *shape)
{
    const struct decoding *have = &run->shape.decoding, *want = &shape->decoding;
    bool alike = have->decode == want->decode && have->temperature == want->temperature && have->width == want->width &&
                 have->expand == want->expand && have->merge == want->merge;
    // Unused slots cost as much as used ones, and would count in batch statistics.
    bool exact = run->model->config.norm == MODEL_BATCH_LIVE;
    uint32_t B = run->shape.B, min_instances = exact ? B : B / 2;
    return alike && run->shape.kind == shape->kind && B >= shape->B && shape->B >= min_instances &&
           run->shape.N == shape->N && run->shape.S == shape->S && run->shape.J >= shape->J;
}

bool run_load(struct run *run, const struct scaled *list, const uint32_t *numbers, uint32_t count)
{
    return rollout_load(run->rollout, list, numbers, count);
}

bool run_decode(struct run *run, uint32_t first, const struct rollout_watch *watch, bool *complete)
{
    return rollout_seek(run->rollout, first) && rollout_run_watched(run->rollout, watch, complete);
}

uint32_t run_trajectories(const struct run *run)
{
    return run->model->config.M * run->shape.B * run->shape.S;
}

bool run_results(struct run *run, float *cost, uint32_t *history)
{
    return run->strategy->results(run, cost, history);
}

static struct rollout_shape shape_of(const struct run_shape *shape, enum choose_mode mode)
{
    return (struct rollout_shape){ .B = shape->B,
        .N = shape->N,
        .S = shape->S,
        .J = shape->J,
        .kind = shape->kind,
        .mode = mode,
        .temperature = shape->decoding.temperature,
        .seed = shape->seed };
}

uint64_t run_rollout_bytes(const struct view *view, const struct run_shape *shape, enum choose_mode mode)
{
    const struct rollout_shape rollout = shape_of(shape, mode);
    return rollout_bytes(view, &rollout);
}

bool run_rollout(struct run *run, const struct view *view, enum choose_mode mode)
{
    const struct rollout_shape shape = shape_of(&run->shape, mode);
    return rollout_create(&run->rollout, view, &shape);
}

bool run_rollout_results(struct run *run, float *cost, uint32_t *history)
{
    return rollout_results(run->rollout, cost, history, NULL);
}

void run_rollout_finish(struct run *run)
{
    rollout_destroy(&run->rollout);
}
