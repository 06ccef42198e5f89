#include "search/run.h"

#include <stdlib.h>

#include "util/alloc.h"

static struct rollout_shape rollout_shape_of(const struct run_shape *shape)
{
    bool sample = shape->way.decode == DECODE_SAMPLE;
    return (struct rollout_shape){ .B = shape->B,
        .N = shape->N,
        .S = shape->S,
        .J = shape->J,
        .mode = sample ? SAMPLE : GREEDY,
        .temperature = sample ? shape->way.temperature : 1,
        .seed = shape->seed };
}

static struct beam_shape beam_shape_of(const struct run_shape *shape)
{
    return (struct beam_shape){ .B = shape->B,
        .N = shape->N,
        .W = shape->way.width,
        .K = shape->way.expand,
        .J = shape->J,
        .merge = shape->way.merge };
}

uint64_t run_bytes(const struct model *model, const struct run_shape *shape)
{
    struct rollout_shape rollout = rollout_shape_of(shape);
    struct beam_shape beam = beam_shape_of(shape);
    const struct view view = model_view(model);
    return shape->way.decode == DECODE_BEAM ? beam_bytes(&view, &beam) : rollout_bytes(&view, &rollout);
}

bool run_create(struct run **out, const struct model *model, const struct run_shape *shape)
{
    struct run *run = *out = xcalloc(1, sizeof *run);
    struct rollout_shape rollout = rollout_shape_of(shape);
    struct beam_shape beam = beam_shape_of(shape);
    const struct view view = model_view(model);
    run->shape = *shape;
    run->model = model;
    bool beams = shape->way.decode == DECODE_BEAM;
    bool ok = beams ? beam_create(&run->beam, &view, &beam) : rollout_create(&run->rollout, &view, &rollout);
    if (!ok)
        run_destroy(out);
    else if (beams)
        run->rollout = run->beam->rollout;
    return ok;
}

void run_destroy(struct run **slot)
{
    struct run *run = *slot;
    if (!run)
        return;
    if (run->beam)
        beam_destroy(&run->beam);
    else
        rollout_destroy(&run->rollout);
    free(run);
    *slot = NULL;
}

bool run_serves(const struct run *run, const struct run_shape *shape)
{
    const struct way *have = &run->shape.way, *want = &shape->way;
    bool alike = have->decode == want->decode && have->temperature == want->temperature && have->width == want->width &&
                 have->expand == want->expand && have->merge == want->merge;
    // Places that stay empty cost as much as full ones, and where statistics are taken over the batch they would count.
    bool exact = run->model->config.norm == MODEL_BATCH_LIVE;
    uint32_t B = run->shape.B, least = exact ? B : B / 2;
    return alike && B >= shape->B && shape->B >= least && run->shape.N == shape->N && run->shape.S == shape->S &&
           run->shape.J >= shape->J;
}

bool run_load(struct run *run, const struct scaled *list, const uint32_t *numbers, uint32_t count)
{
    return rollout_load(run->rollout, list, numbers, count);
}

bool run_decode(struct run *run, uint32_t first, bool (*go_on)(void *user, uint32_t decisions, uint32_t most),
    void *user, bool *done)
{
    const struct rollout_watch watch = { go_on, user };
    return rollout_seek(run->rollout, first) && rollout_run_watched(run->rollout, &watch, done);
}

uint32_t run_trajectories(const struct run *run)
{
    return run->model->config.M * run->shape.B * run->shape.S;
}

bool run_results(struct run *run, float *cost, uint32_t *history)
{
    return run->beam ? beam_results(run->beam, cost, history) : rollout_results(run->rollout, cost, history, NULL);
}
