#include "train/baseline.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/statistics.h"

#define AVERAGE_KEEPS   0.8
#define CHALLENGE_LEVEL 0.05

void baseline_shared(double *value, const float *cost, uint32_t M, uint32_t B, uint32_t S)
{
    // One group of values per decoder and instance or, with one sample, per instance.
    const uint32_t T = M * B * S, groups = S > 1 ? M * B : B, size = T / groups;
    for (uint32_t g = 0; g < groups; g++) {
        double sum = 0;
        for (uint32_t k = 0; k < size; k++)
            sum += cost[S > 1 ? g * S + k : k * B + g];
        for (uint32_t k = 0; k < size; k++)
            value[S > 1 ? g * S + k : k * B + g] = sum / size;
    }
}

double baseline_average(struct train_state *state, double mean)
{
    state->average = state->averages++ ? AVERAGE_KEEPS * state->average + (1 - AVERAGE_KEEPS) * mean : mean;
    return state->average;
}

bool baseline_rollout(struct ranges *ranges, uint32_t range, uint32_t first, double *value)
{
    const struct lesson_shape shape = ranges_shape(ranges, range);
    struct rollout *greedy;
    if (!replica_greedy(ranges->replica, &shape, REPLICA_FROZEN, &greedy))
        return false;
    const uint32_t M = ranges->settings->config.M, B = shape.B;
    float *cost = xcalloc((size_t)M * B, sizeof *cost);
    bool ok = ranges_load_rollout(ranges, range, DRAWS_TRAINING, first, greedy, B) && rollout_run(greedy) &&
              rollout_results(greedy, cost, NULL, NULL);
    for (uint32_t b = 0; b < B; b++) {
        value[b] = cost[b];
        for (uint32_t m = 1; m < M; m++)
            value[b] = cost[m * B + b] < value[b] ? cost[m * B + b] : value[b];
    }
    free(cost);
    return ok;
}

bool baseline_challenge(struct ranges *ranges, const struct train_state *state,
    bool (*go_on)(void *user, uint32_t done), void *user, struct baseline_challenge *outcome)
{
    const uint32_t count = ranges->settings->val_size;
    double *costs[REPLICA_MODELS];
    bool ok = true;
    *outcome = (struct baseline_challenge){ 0 };
    for (int k = 0; k < REPLICA_MODELS; k++) {
        costs[k] = xcalloc(count, sizeof **costs);
        struct ranges_set set = { .draws = DRAWS_COMPARISON,
            .model = (enum replica_model)k,
            .first = state->replaced * count,
            .count = count,
            .go_on = go_on,
            .user = user };
        ok = ok && (outcome->ended || ranges_evaluate(ranges, &set, costs[k], NULL, &outcome->ended));
    }
    if (ok && !outcome->ended) {
        outcome->p = paired_test(costs[REPLICA_CURRENT], costs[REPLICA_FROZEN], count);
        outcome->better = outcome->p < CHALLENGE_LEVEL;
    }
    for (int k = 0; k < REPLICA_MODELS; k++)
        free(costs[k]);
    return ok;
}
