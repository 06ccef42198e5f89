#include "train/imitate.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "mdam/mdam.h"
#include "train/baseline.h"
#include "train/teacher.h"
#include "util/alloc.h"
#include "util/clock.h"

struct imitation {
    struct ranges *ranges;
    struct lesson *lesson;
    struct teacher_batch batch;
    const struct instance **instances; // (B), of a file; NULL: drawn ones
    uint32_t *actions;                 // (J, M B S): the samples
    uint32_t *greedy;                  // (J, M B): greedy trajectories, where their prefixes are kept
    uint32_t *sequences;               // (J, M B): improved
    uint32_t *prefix;                  // (M B): decisions of them that are not learned
    float *cost;                       // (M B): theirs
    float *coefficient;                // (M B)
    double mean, seconds;
    pthread_t thread;
    bool busy;
};

static void *work(void *argument)
{
    struct imitation *i = argument;
    double begun = clock_seconds();
    teacher_improve(&i->batch, i->sequences, i->prefix);
    i->seconds = clock_seconds() - begun;
    return NULL;
}

// The file's instances of the batch.
static const struct instance **originals(struct ranges *ranges, const struct imitation_batch *batch)
{
    if (!ranges->data)
        return NULL;
    const struct instance **list = xcalloc(batch->B, sizeof *list);
    for (uint32_t b = 0; b < batch->B; b++)
        list[b] =
            data_original(ranges->data, data_instance(ranges->data, batch->range, DRAWS_TRAINING, batch->first + b));
    return list;
}

bool imitation_begin(struct imitation **out, struct ranges *ranges, const struct imitation_batch *batch)
{
    const struct train_settings *s = ranges->settings;
    const struct size_range *range = &ranges->sizes[batch->range];
    const uint32_t M = s->config.M, B = batch->B, J = range->J;
    struct imitation *i = *out = xcalloc(1, sizeof *i);
    i->ranges = ranges;
    i->lesson = batch->lesson;
    i->actions = xcalloc((size_t)J * M * B * s->S, sizeof *i->actions);
    i->sequences = xcalloc((size_t)J * M * B, sizeof *i->sequences);
    i->prefix = xcalloc((size_t)M * B, sizeof *i->prefix);
    if (s->imitate_from == MDAM_IMITATE_PREFIX)
        i->greedy = xcalloc((size_t)J * M * B, sizeof *i->greedy);
    i->cost = xcalloc(2 * (size_t)M * B, sizeof *i->cost);
    i->coefficient = i->cost + M * B;
    i->instances = originals(ranges, batch);
    i->batch = (struct teacher_batch){ .problem = s->config.problem,
        .instances = i->instances,
        .distribution = range->distribution,
        .seed = sizes_seed(s->seed, DRAWS_TRAINING),
        .first = batch->first,
        .B = B,
        .M = M,
        .S = s->S,
        .J = J,
        .actions = i->actions,
        .cost = batch->cost,
        .greedy = i->greedy,
        .threads = ranges->threads };
    bool ok = lesson_actions(i->lesson, i->actions, i->greedy);
    if (ok) {
        i->busy = pthread_create(&i->thread, NULL, work, i) == 0;
        if (!i->busy) // runs at once if there is no thread
            work(i);
    } else {
        imitation_destroy(out);
    }
    return ok;
}

static void wait(struct imitation *i)
{
    if (i->busy)
        pthread_join(i->thread, NULL);
    i->busy = false;
}

bool imitation_teach(struct imitation *i, double trajectories)
{
    const uint32_t M = i->batch.M, B = i->batch.B, S = i->batch.S;
    const double weight = i->ranges->settings->imitate;
    wait(i);
    if (!lesson_teach(i->lesson, i->sequences, i->cost))
        return false;
    double *value = xcalloc((size_t)M * B * S, sizeof *value);
    baseline_shared(value, i->batch.cost, M, B, S);
    for (uint32_t k = 0; k < M * B; k++) {
        double better = fmin((double)i->cost[k] - value[k * S], 0);
        i->coefficient[k] = (float)(weight * better / trajectories);
        i->mean += i->cost[k] / (double)(M * B);
    }
    free(value);
    return true;
}

void imitation_destroy(struct imitation **slot)
{
    struct imitation *i = *slot;
    if (!i)
        return;
    wait(i);
    free(i->instances);
    free(i->actions);
    free(i->greedy);
    free(i->sequences);
    free(i->prefix);
    free(i->cost);
    free(i);
    *slot = NULL;
}

const float *imitation_coefficient(const struct imitation *i)
{
    return i->coefficient;
}

const uint32_t *imitation_prefix(const struct imitation *i)
{
    return i->prefix;
}

double imitation_cost(const struct imitation *i)
{
    return i->mean;
}

double imitation_seconds(const struct imitation *i)
{
    return i->seconds;
}
