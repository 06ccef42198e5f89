#include "train/teacher.h"

#include <stdlib.h>

#include <stb/stb_ds.h>

#include "improve/improve.h"
#include "problem/foresight.h"
#include "problem/routes.h"
#include "problem/sequence.h"
#include "util/alloc.h"
#include "util/threads.h"

// What the teacher stays within a limit by, so that sums in single precision stay within it, too.
#define TEACHER_MARGIN 2e-5

// Starting from something feasible by what is known.
static void improve(const struct instance *known, struct solution *solutions, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct solution *s = &solutions[i];
        struct route first = arrlen(s->routes) ? s->routes[0] : (struct route){ 0 };
        foresight_collect(&first.stops, known);
        if (arrlen(s->routes))
            s->routes[0] = first;
        else if (arrlen(first.stops))
            arrput(s->routes, first);
    }
    improve_local(known, solutions, count, &(struct improve_options){ .threads = 1 });
}

// Driving a tour, COUNT actions with the return, reveals its prizes; then further customers may have to follow.
static uint32_t reveal(uint32_t *actions, uint32_t count, const struct instance *instance)
{
    uint32_t *stops = NULL;
    for (uint32_t j = 0; j + 1 < count; j++)
        arrput(stops, actions[j]);
    foresight_collect(&stops, instance);
    for (count = 0; count < arrlenu(stops); count++)
        actions[count] = stops[count];
    actions[count++] = 0;
    arrfree(stops);
    return count;
}

// The improved solution as a trajectory; where there is none like it, the sample.
static uint32_t drive(uint32_t *actions, uint32_t J, const struct instance *instance, const struct solution *improved,
    const struct solution *sample)
{
    uint32_t count = sequence_of(actions, J, instance, improved, sample);
    if (!count)
        count = sequence_of(actions, J, instance, sample, sample);
    return instance->problem->reveals ? reveal(actions, count, instance) : count;
}

uint32_t teacher_sequence(uint32_t *actions, uint32_t J, const struct instance *instance, const struct solution *sample)
{
    const struct instance known = foresight_of(instance, TEACHER_MARGIN);
    struct solution improved;
    improve_copy(&improved, sample);
    improve(&known, &improved, 1);
    uint32_t count = drive(actions, J, instance, &improved, sample);
    solution_finish(&improved);
    return count;
}

struct work {
    const struct teacher_batch *batch;
    uint32_t *sequences;
};

// The best of a decoder's samples of instance b.
static struct solution best_sample(
    const struct teacher_batch *t, const struct instance *instance, uint32_t m, uint32_t b)
{
    const uint32_t from = (m * t->B + b) * t->S;
    uint32_t best = from;
    for (uint32_t k = from; k < from + t->S; k++)
        best = t->cost[k] < t->cost[best] ? k : best;
    return routes_of(instance, t->actions + best, (size_t)t->M * t->B * t->S, t->J);
}

static void teach_instance(void *user, uint32_t b)
{
    const struct work *work = user;
    const struct teacher_batch *t = work->batch;
    struct instance instance;
    t->problem->generate(&instance, &t->distribution, t->seed, t->first + b);
    const struct instance known = foresight_of(&instance, TEACHER_MARGIN);
    struct solution *samples = xcalloc(2 * (size_t)t->M, sizeof *samples), *improved = samples + t->M;
    uint32_t *actions = xcalloc(t->J, sizeof *actions);
    for (uint32_t m = 0; m < t->M; m++) {
        samples[m] = best_sample(t, &instance, m, b);
        improve_copy(&improved[m], &samples[m]);
    }
    improve(&known, improved, t->M);
    for (uint32_t m = 0; m < t->M; m++) {
        uint32_t count = drive(actions, t->J, &instance, &improved[m], &samples[m]);
        for (uint32_t j = 0; j < t->J; j++)
            work->sequences[((size_t)j * t->M + m) * t->B + b] = j < count ? actions[j] : 0;
        solution_finish(&samples[m]);
        solution_finish(&improved[m]);
    }
    free(actions);
    free(samples);
    instance_finish(&instance);
}

void teacher_improve(const struct teacher_batch *batch, uint32_t *sequences)
{
    struct work work = { batch, sequences };
    threads_run(batch->threads, batch->B, teach_instance, &work);
}
