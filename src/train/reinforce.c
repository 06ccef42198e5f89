#include "train/reinforce.h"

#include <stdlib.h>

#include "train/imitate.h"
#include "util/alloc.h"
#include "util/ranks.h"

// One part of the current batch, in micro-batches.
struct micro {
    struct lesson *lesson;
    uint32_t range, split, B, T;       // size range; micro-batches; instances and trajectories of each
    uint32_t first;                    // instance of the part
    float *cost, *total, *coefficient; // (T)
    double *value;                     // (T): the baseline
    bool sampled;                      // already, for the average
    struct imitation *imitation;       // or NULL
};

static bool micro_create(struct micro *m, struct ranges *ranges, uint32_t range, uint32_t copy)
{
    const struct train_settings *s = ranges->settings;
    struct lesson_shape shape = ranges_shape(ranges, range);
    shape.copy = copy;
    *m = (struct micro){ .range = range, .split = ranges_split(ranges, range), .B = shape.B };
    m->T = s->config.M * m->B * s->S;
    m->cost = xcalloc(3 * (size_t)m->T, sizeof *m->cost);
    m->total = m->cost + m->T;
    m->coefficient = m->total + m->T;
    m->value = xcalloc(m->T, sizeof *m->value);
    return replica_lesson(ranges->replica, &shape, &m->lesson);
}

static void micro_finish(struct micro *m)
{
    imitation_destroy(&m->imitation);
    free(m->cost);
    free(m->value);
}

static bool sample(struct ranges *ranges, const struct micro *m, uint32_t first)
{
    return ranges_load_lesson(ranges, m->range, first, m->lesson, m->B) &&
           lesson_run(m->lesson, NULL, m->cost, m->total);
}

static double mean_cost(const struct micro *m)
{
    double sum = 0;
    for (uint32_t t = 0; t < m->T; t++)
        sum += m->cost[t];
    return sum / m->T;
}

static bool find_values(struct ranges *ranges, const struct micro *m, const struct train_state *state, uint32_t first)
{
    const struct train_settings *s = ranges->settings;
    const uint32_t M = s->config.M, S = s->S;
    if (s->baseline == BASELINE_SHARED) {
        baseline_shared(m->value, m->cost, M, m->B, S);
        return true;
    }
    double *baseline = xcalloc(m->B, sizeof *baseline);
    bool warm = state->step >= s->steps, ok = !warm || baseline_rollout(ranges, m->range, first, baseline);
    for (uint32_t t = 0; t < m->T; t++)
        m->value[t] = warm ? baseline[t / S % m->B] : state->average;
    free(baseline);
    return ok;
}

// Starts the imitation of a micro-batch, which runs while the baseline is computed.
static bool begin_imitation(struct ranges *ranges, struct micro *m, uint32_t first)
{
    const struct imitation_batch batch = {
        .lesson = m->lesson, .range = m->range, .first = first, .B = m->B, .cost = m->cost
    };
    return !(ranges->settings->imitate > 0) || imitation_begin(&m->imitation, ranges, &batch);
}

static bool end_imitation(
    struct micro *m, double trajectories, struct lesson_weights *weights, double shares, struct reinforce *result)
{
    if (!m->imitation)
        return true;
    bool ok = imitation_teach(m->imitation, trajectories);
    weights->taught = imitation_coefficient(m->imitation);
    weights->taught_prefix = imitation_prefix(m->imitation);
    result->improved += imitation_cost(m->imitation) / shares;
    result->improve_seconds += imitation_seconds(m->imitation);
    return ok;
}

// Adds the micro-batch's gradient and its contribution to the means.
static bool add(struct ranges *ranges, struct micro *m, struct reinforce *result)
{
    const uint32_t shares = m->split * ranges->settings->parts;
    const double trajectories = (double)m->T * shares, kl = ranges->settings->kl;
    for (uint32_t t = 0; t < m->T; t++) {
        double advantage = m->cost[t] - m->value[t];
        m->coefficient[t] = (float)(advantage / trajectories);
        result->cost += m->cost[t] / trajectories;
        result->baseline += m->value[t] / trajectories;
        result->loss += advantage / trajectories * m->total[t];
    }
    struct lesson_weights weights = { .coefficient = m->coefficient };
    double divergence = 0;
    bool ok = end_imitation(m, trajectories, &weights, shares, result) &&
              lesson_learn(m->lesson, &weights, -kl / shares, &divergence);
    imitation_destroy(&m->imitation);
    if (!ok)
        return false;
    result->kl += divergence / shares;
    result->loss -= kl * divergence / shares;
    return true;
}

// This rank's parts of the current batch.
struct division {
    struct ranges *ranges;
    struct train_state *state;
    uint32_t own;         // parts
    uint32_t held;        // parts with their own lesson; otherwise one lesson serves all
    struct micro *micros; // (held)
};

static struct micro *micro_of(const struct division *b, uint32_t part)
{
    const struct train_settings *s = b->ranges->settings;
    struct micro *m = &b->micros[b->held > 1 ? part : 0];
    // Instance indices wrap around after 2^32.
    m->first = (uint32_t)(b->state->step * s->B + (uint64_t)(ranks_rank() * b->own + part) * (s->B / s->parts));
    return m;
}

// The exponential average needs the mean cost of the whole batch before the first gradient. Drawing the samples again
// gives the same ones; if memory holds the lessons of all parts, that is not necessary.
static bool average(struct division *b)
{
    const uint32_t parts = b->ranges->settings->parts;
    double *means = xcalloc(parts, sizeof *means), *own = xcalloc(b->own, sizeof *own), mean = 0;
    bool ok = true;
    for (uint32_t k = 0; ok && k < b->own; k++) {
        struct micro *m = micro_of(b, k);
        for (uint32_t i = 0; ok && i < m->split; i++) {
            ok = sample(b->ranges, m, m->first + i * m->B);
            own[k] += mean_cost(m) / m->split;
        }
        m->sampled = m->split == 1 && b->held == b->own;
    }
    if (ok)
        ranks_gather(means, own, b->own * sizeof *own);
    for (uint32_t k = 0; k < parts; k++)
        mean += means[k] / parts;
    if (ok)
        baseline_average(b->state, mean);
    free(means);
    free(own);
    return ok;
}

static bool run_part(struct division *b, uint32_t part, struct reinforce *result)
{
    struct micro *m = micro_of(b, part);
    bool ok = true;
    for (uint32_t i = 0; ok && i < m->split; i++) {
        uint32_t first = m->first + i * m->B;
        ok = (m->sampled || sample(b->ranges, m, first)) && begin_imitation(b->ranges, m, first) &&
             find_values(b->ranges, m, b->state, first) && add(b->ranges, m, result);
    }
    return ok && sum_part(b->ranges->replica->sum, part);
}

// Adds all parts in their order, so the means do not depend on who computed them.
static bool run_parts(struct division *b, struct reinforce *result)
{
    const uint32_t parts = b->ranges->settings->parts;
    struct reinforce *own = xcalloc(b->own, sizeof *own), *all = xcalloc(parts, sizeof *all);
    struct sum *sum = b->ranges->replica->sum;
    bool ok = sum_begin(sum);
    for (uint32_t k = 0; ok && k < b->own; k++)
        ok = run_part(b, k, &own[k]);
    if (ok)
        ranks_gather(all, own, b->own * sizeof *own);
    ok = ok && sum_total(sum);
    for (uint32_t k = 0; k < parts; k++) {
        result->cost += all[k].cost;
        result->baseline += all[k].baseline;
        result->loss += all[k].loss;
        result->kl += all[k].kl;
        result->improved += all[k].improved;
        result->improve_seconds += all[k].improve_seconds / ranks_count();
    }
    free(own);
    free(all);
    return ok;
}

bool reinforce_run(struct ranges *ranges, struct train_state *state, struct reinforce *result)
{
    const struct train_settings *s = ranges->settings;
    const uint32_t range = ranges_of_step(ranges, state->step);
    const struct lesson_shape shape = ranges_shape(ranges, range);
    const bool averages = s->baseline == BASELINE_ROLLOUT && state->step < s->steps;
    struct division b = { .ranges = ranges, .state = state, .own = s->parts / ranks_count(), .held = 1 };
    *result = (struct reinforce){ 0 };
    if (averages && ranges_split(ranges, range) == 1 && replica_holds(ranges->replica, &shape, b.own))
        b.held = b.own;
    b.micros = xcalloc(b.held, sizeof *b.micros);
    bool ok = true;
    for (uint32_t k = 0; ok && k < b.held; k++)
        ok = micro_create(&b.micros[k], ranges, range, k);
    ok = ok && (!averages || average(&b)) && run_parts(&b, result);
    for (uint32_t k = 0; k < b.held; k++)
        micro_finish(&b.micros[k]);
    free(b.micros);
    return ok;
}
