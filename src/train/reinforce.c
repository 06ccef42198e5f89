#include "train/reinforce.h"

#include <stdlib.h>

#include "util/alloc.h"

// One micro-batch under way.
struct micro {
    struct lesson *lesson;
    uint32_t part, split, B, T;
    float *cost, *total, *coefficient; // (T)
    double *value;                     // (T): the baseline's
};

static bool sample(struct parts *parts, const struct micro *m, uint32_t first)
{
    return lesson_draw(m->lesson, &parts->list[m->part].draws[DRAWS_TRAINING], first) &&
           lesson_run(m->lesson, NULL, m->cost, m->total);
}

static double mean_cost(const struct micro *m)
{
    double sum = 0;
    for (uint32_t t = 0; t < m->T; t++)
        sum += m->cost[t];
    return sum / m->T;
}

// The exponential average needs the mean cost of the whole batch before the first gradient. Samples come out the same
// when they are drawn again.
static bool average(struct parts *parts, const struct micro *m, struct train_state *state, uint32_t first)
{
    double mean = 0;
    for (uint32_t i = 0; i < m->split; i++) {
        if (!sample(parts, m, first + i * m->B))
            return false;
        mean += mean_cost(m) / m->split;
    }
    baseline_average(state, mean);
    return true;
}

static bool find_values(struct parts *parts, const struct micro *m, const struct train_state *state, uint32_t first)
{
    const struct train_settings *s = parts->settings;
    const uint32_t M = s->config.M, S = s->S;
    if (s->baseline == BASELINE_SHARED) {
        baseline_shared(m->value, m->cost, M, m->B, S);
        return true;
    }
    double *each = xcalloc(m->B, sizeof *each);
    bool warm = state->step >= s->steps, ok = !warm || baseline_rollout(parts, m->part, first, each);
    for (uint32_t t = 0; t < m->T; t++)
        m->value[t] = warm ? each[t / S % m->B] : state->average;
    free(each);
    return ok;
}

// Adds its part of the gradient and of the means.
static bool add(struct parts *parts, const struct micro *m, struct reinforce *result)
{
    const double trajectories = (double)m->T * m->split, kl = parts->settings->kl;
    for (uint32_t t = 0; t < m->T; t++) {
        double advantage = m->cost[t] - m->value[t];
        m->coefficient[t] = (float)(advantage / trajectories);
        result->cost += m->cost[t] / trajectories;
        result->baseline += m->value[t] / trajectories;
        result->loss += advantage / trajectories * m->total[t];
    }
    double divergence = 0;
    if (!lesson_learn(m->lesson, m->coefficient, -kl / m->split, &divergence))
        return false;
    result->kl += divergence / m->split;
    result->loss -= kl * divergence / m->split;
    return true;
}

bool reinforce_run(struct parts *parts, struct train_state *state, struct reinforce *result)
{
    const struct train_settings *s = parts->settings;
    *result = (struct reinforce){ 0 };
    struct micro m = { .part = sizes_of_step(s, parts->sizes, state->step) };
    const struct lesson_shape shape = parts_shape(parts, m.part);
    if (!replica_lesson(parts->replica, &shape, &m.lesson))
        return false;
    m.split = parts_split(parts, m.part);
    m.B = shape.B;
    m.T = s->config.M * m.B * s->S;
    m.cost = xcalloc(3 * (size_t)m.T, sizeof *m.cost);
    m.total = m.cost + m.T;
    m.coefficient = m.total + m.T;
    m.value = xcalloc(m.T, sizeof *m.value);
    // Numbers of instances start again after 2^32.
    uint32_t first = (uint32_t)(state->step * s->B);
    bool averages = s->baseline == BASELINE_ROLLOUT && state->step < s->steps;
    bool ok = !averages || average(parts, &m, state, first);
    for (uint32_t i = 0; ok && i < m.split; i++) {
        uint32_t at = first + i * m.B;
        bool sampled = averages && m.split == 1; // by the average
        ok = (sampled || sample(parts, &m, at)) && find_values(parts, &m, state, at) && add(parts, &m, result);
    }
    free(m.cost);
    free(m.value);
    return ok;
}
