#include "learn/lesson.h"

#include <stdlib.h>

#include "model/gradient.h"
#include "shaders/args.h"
#include "util/alloc.h"

struct lesson {
    struct lesson_shape shape;
    struct rollout *rollout; // with its activations; an additional trajectory is the last of its decoder and instance
    struct gradient *gradient;
    uint32_t *actions; // taught: (J, all trajectories), as they are given
};

static struct rollout_shape rollout_shape_for(const struct lesson_shape *shape)
{
    return (struct rollout_shape){ .B = shape->B,
        .N = shape->N,
        .S = shape->S + shape->taught,
        .J = shape->J,
        .kind = shape->kind,
        .mode = shape->taught  ? TAUGHT
                : shape->given ? GIVEN
                               : SAMPLE,
        .temperature = 1,
        .seed = shape->seed,
        .waits = shape->taught && !shape->greedy,
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
    l->shape = *shape;
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
    free(l->actions);
    free(l);
    *slot = NULL;
}

bool lesson_load(struct lesson *l, const struct scaled *list, const uint32_t *numbers, uint32_t count)
{
    return rollout_load(l->rollout, list, numbers, count);
}

bool lesson_draw(struct lesson *l, const struct draw *draw, uint32_t first)
{
    return rollout_draw(l->rollout, draw, first);
}

// --- additional trajectories --------------------------------------------------------------------------------------
// In the rollout, trajectory k of a decoder and instance is sample k; the last one, k = S, is the additional one.

static uint32_t groups_of(const struct lesson *l) // M B
{
    return rollout_trajectories(l->rollout) / (l->shape.S + l->shape.taught);
}

// Row (T) of the samples, and (M B) of the others, either of which may be NULL, from a row of the rollout.
static void divide_row(const struct lesson *l, const uint32_t *row, uint32_t *samples, uint32_t *others)
{
    const uint32_t groups = groups_of(l), S = l->shape.S, all = S + l->shape.taught;
    for (uint32_t g = 0; g < groups; g++) {
        for (uint32_t k = 0; samples && k < S; k++)
            samples[g * S + k] = row[g * all + k];
        if (others && l->shape.taught)
            others[g] = row[g * all + S];
    }
}

// The inverse; 0 where a list is NULL.
static void join_row(const struct lesson *l, uint32_t *row, const uint32_t *samples, const uint32_t *others)
{
    const uint32_t groups = groups_of(l), S = l->shape.S, all = S + l->shape.taught;
    for (uint32_t g = 0; g < groups; g++) {
        for (uint32_t k = 0; k < S; k++)
            row[g * all + k] = samples ? samples[g * S + k] : 0;
        if (l->shape.taught)
            row[g * all + S] = others ? others[g] : 0;
    }
}

// A run of its own choice.
static bool give_choice(struct lesson *l)
{
    const uint32_t T = rollout_trajectories(l->rollout), J = l->shape.J, all = l->shape.S + 1;
    if (!l->actions)
        l->actions = xcalloc((size_t)J * T, sizeof *l->actions);
    for (size_t i = 0; i < (size_t)J * T; i++)
        l->actions[i] = i % all == l->shape.S ? TAUGHT_GREEDY : TAUGHT_SAMPLE;
    return rollout_give(l->rollout, l->actions);
}

// Costs and log-likelihoods have the width of actions.
static bool results(struct lesson *l, float *cost, float *total, float *others)
{
    if (!l->shape.taught)
        return rollout_results(l->rollout, cost, NULL, total);
    float *list = xcalloc(2 * (size_t)rollout_trajectories(l->rollout), sizeof *list);
    float *totals = list + rollout_trajectories(l->rollout);
    bool ok = rollout_results(l->rollout, list, NULL, totals);
    divide_row(l, (uint32_t *)list, (uint32_t *)cost, (uint32_t *)others);
    divide_row(l, (uint32_t *)totals, (uint32_t *)total, NULL);
    free(list);
    return ok;
}

bool lesson_run(struct lesson *l, const uint32_t *actions, float *cost, float *total)
{
    return (!actions || rollout_give(l->rollout, actions)) && (!l->shape.taught || give_choice(l)) &&
           rollout_run(l->rollout) && results(l, cost, total, NULL);
}

bool lesson_actions(struct lesson *l, uint32_t *actions, uint32_t *greedy)
{
    if (!l->shape.taught)
        return rollout_results(l->rollout, NULL, actions, NULL);
    const uint32_t T = rollout_trajectories(l->rollout), groups = groups_of(l), J = l->shape.J, S = l->shape.S;
    bool ok = rollout_results(l->rollout, NULL, l->actions, NULL);
    for (uint32_t j = 0; ok && j < J; j++)
        divide_row(l, l->actions + (size_t)j * T, actions + (size_t)j * groups * S,
            greedy ? greedy + (size_t)j * groups : NULL);
    return ok;
}

bool lesson_teach(struct lesson *l, const uint32_t *actions, float *cost)
{
    const uint32_t T = rollout_trajectories(l->rollout), groups = groups_of(l), J = l->shape.J, all = l->shape.S + 1;
    bool ok = rollout_results(l->rollout, NULL, l->actions, NULL);
    for (uint32_t i = 0; i < J * groups; i++)
        l->actions[(size_t)(i / groups) * T + i % groups * all + l->shape.S] = actions[i];
    return ok && rollout_give(l->rollout, l->actions) && rollout_repeat(l->rollout) && results(l, NULL, NULL, cost);
}

bool lesson_learn(struct lesson *l, const struct lesson_weights *w, double dkl, double *kl)
{
    if (!l->shape.taught)
        return gradient_run(l->gradient, w->coefficient, w->prefix, dkl) && gradient_kl(l->gradient, kl);
    const uint32_t T = rollout_trajectories(l->rollout);
    float *coefficient = xcalloc(T, sizeof *coefficient);
    uint32_t *prefix = xcalloc(T, sizeof *prefix);
    join_row(l, (uint32_t *)coefficient, (const uint32_t *)w->coefficient, (const uint32_t *)w->taught);
    join_row(l, prefix, w->prefix, w->taught_prefix);
    bool ok = gradient_run(l->gradient, coefficient, prefix, dkl) && gradient_kl(l->gradient, kl);
    free(coefficient);
    free(prefix);
    return ok;
}
