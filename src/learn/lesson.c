#include "learn/lesson.h"

#include <stdlib.h>

#include "model/gradient.h"
#include "util/alloc.h"

struct lesson {
    struct rollout *rollout; // with its activations
    struct gradient *gradient;
};

static struct rollout_shape rollout_shape_for(const struct lesson_shape *shape)
{
    return (struct rollout_shape){ .B = shape->B,
        .N = shape->N,
        .S = shape->S,
        .J = shape->J,
        .mode = shape->given ? GIVEN : SAMPLE,
        .temperature = 1,
        .seed = shape->seed,
        .save = true };
}

uint64_t lesson_bytes(const struct view *view, const struct lesson_shape *shape)
{
    struct rollout_shape rollout = rollout_shape_for(shape);
    uint64_t bytes = rollout_bytes(view, &rollout);
    return bytes == ROLLOUT_IMPOSSIBLE ? bytes : bytes + gradient_bytes(view, &rollout);
}

bool lesson_create(
    struct lesson **out, const struct view *view, const struct lesson_shape *shape, const struct params *d)
{
    struct lesson *l = *out = xcalloc(1, sizeof *l);
    struct rollout_shape rollout = rollout_shape_for(shape);
    bool ok = rollout_create(&l->rollout, view, &rollout) && gradient_create(&l->gradient, l->rollout, d);
    if (!ok)
        lesson_destroy(out);
    return ok;
}

void lesson_destroy(struct lesson **slot)
{
    struct lesson *l = *slot;
    if (!l)
        return;
    gradient_destroy(&l->gradient);
    rollout_destroy(&l->rollout);
    free(l);
    *slot = NULL;
}

bool lesson_load(struct lesson *l, const struct scaled *list, uint32_t count)
{
    return rollout_load(l->rollout, list, NULL, count);
}

bool lesson_draw(struct lesson *l, const struct draw *draw, uint32_t first)
{
    return rollout_draw(l->rollout, draw, first);
}

bool lesson_run(struct lesson *l, const uint32_t *actions, float *cost, float *total)
{
    return (!actions || rollout_give(l->rollout, actions)) && rollout_run(l->rollout) &&
           rollout_results(l->rollout, cost, NULL, total);
}

bool lesson_actions(struct lesson *l, uint32_t *actions)
{
    return rollout_results(l->rollout, NULL, actions, NULL);
}

bool lesson_learn(struct lesson *l, const float *coefficient, double dkl, double *kl)
{
    return gradient_run(l->gradient, coefficient, dkl) && gradient_kl(l->gradient, kl);
}
