// A batch to learn from: instances, sampled or given trajectories, and the gradient of their log-likelihoods. Recorded
// once per shape. T = M B S trajectories, t = (m B + b) S + s, as in model/rollout.h.
#ifndef LEARN_LESSON_H
#define LEARN_LESSON_H

#include "model/rollout.h"

struct lesson_shape {
    uint32_t B, N, S, J; // instances, nodes, samples per decoder, max decisions
    enum batch_kind kind;
    bool given;    // the caller supplies the trajectories
    bool taught;   // besides its samples every decoder has a trajectory of each instance that lesson_teach gives
    bool greedy;   // in a run these are greedy, for lesson_actions
    uint64_t seed; // of the samples
    uint32_t copy; // lessons with different copies have separate memory
};

struct lesson;

// Returns the device memory of a shape, or ROLLOUT_IMPOSSIBLE.
uint64_t lesson_bytes(const struct view *view, const struct lesson_shape *shape);
// D has the shape of the model's weights and must outlive the lesson.
bool lesson_create(
    struct lesson **lesson, const struct view *view, const struct lesson_shape *shape, const struct params *d);
void lesson_destroy(struct lesson **lesson);

// Sets the instances, as rollout_load and rollout_draw do.
bool lesson_load(struct lesson *lesson, const struct scaled *list, const uint32_t *numbers, uint32_t count);
bool lesson_draw(struct lesson *lesson, const struct draw *draw, uint32_t first);

// Samples trajectories, or with `given` follows ACTIONS, (J, T). Costs and log-likelihoods are (T).
bool lesson_run(struct lesson *lesson, const uint32_t *actions, float *cost, float *total);
// Of the last run: the actions of the samples, (J, T), and with `greedy` those of the additional trajectories, (J, M
// B), else NULL.
bool lesson_actions(struct lesson *lesson, uint32_t *actions, uint32_t *greedy);
// After a run: the additional trajectories take ACTIONS, (J, M B). Their costs are (M B).
bool lesson_teach(struct lesson *lesson, const uint32_t *actions, float *cost);

// Weights of trajectories (T), and of additional ones (M B), or NULL there: a coefficient of their
// log-likelihoods, and how many decisions at the beginning it does not count for, or NULL.
struct lesson_weights {
    const float *coefficient, *taught;
    const uint32_t *prefix, *taught_prefix;
};

// After a run: adds to D the gradient of  sum_t coefficient[t] log p(trajectory t) + dkl KL, where KL, which is
// returned, is the mean over the instances of the divergence between decoders at the first decision.
bool lesson_learn(struct lesson *lesson, const struct lesson_weights *weights, double dkl, double *kl);

#endif
