#include "train/teacher.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "improve/improve.h"
#include "problem/foresight.h"
#include "problem/routes.h"
#include "problem/sequence.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/rng.h"
#include "util/threads.h"

// The margin by which the teacher stays within a limit, so that sums in single precision stay within it, too.
#define TEACHER_MARGIN 2e-5

// Makes a solution feasible, as far as the known values tell.
static void mend(const struct instance *known, struct solution *s)
{
    struct route first = arrlen(s->routes) ? s->routes[0] : (struct route){ 0 };
    foresight_collect(&first.stops, known);
    if (arrlen(s->routes))
        s->routes[0] = first;
    else if (arrlen(first.stops))
        arrput(s->routes, first);
}

static void improve(const struct instance *known, struct solution *solutions, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        mend(known, &solutions[i]);
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

// The improved solution as a trajectory; if no trajectory gives it, the sample.
static uint32_t drive(uint32_t *actions, uint32_t J, const struct instance *instance, const struct solution *improved,
    const struct solution *sample)
{
    uint32_t count = sequence_of(actions, J, instance, improved, sample, 0);
    if (!count)
        count = sequence_of(actions, J, instance, sample, sample, 0);
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

uint32_t teacher_completion(uint32_t *actions, uint32_t J, const struct instance *instance,
    const struct solution *trajectory, const uint32_t *own, uint32_t prefix)
{
    const struct instance known = foresight_of(instance, TEACHER_MARGIN);
    struct solution improved;
    uint32_t stops = 0;
    for (uint32_t j = 0; j < prefix; j++)
        stops += own[j] || !instance->problem->has_depot;
    improve_copy(&improved, trajectory);
    mend(&known, &improved);
    improve_rest(&known, &improved, own, prefix, &(struct improve_options){ 0 });
    uint32_t count = sequence_of(actions, J, instance, &improved, trajectory, stops);
    solution_finish(&improved);
    if (count && instance->problem->reveals)
        count = reveal(actions, count, instance);
    return count >= prefix && !memcmp(actions, own, prefix * sizeof *own) ? count : 0;
}

struct work {
    const struct teacher_batch *batch;
    uint32_t *sequences, *prefix;
};

// Writes COUNT actions and returns to the depot.
static void write(const struct work *work, uint32_t m, uint32_t b, const uint32_t *actions, uint32_t count)
{
    const struct teacher_batch *t = work->batch;
    for (uint32_t j = 0; j < t->J; j++)
        work->sequences[((size_t)j * t->M + m) * t->B + b] = j < count ? actions[j] : 0;
}

// Keeps a random number of the greedy trajectory's own decisions; local search chooses the rest.
static void complete(const struct work *work, const struct instance *instance, uint32_t m, uint32_t b)
{
    const struct teacher_batch *t = work->batch;
    uint32_t *own = xcalloc(2 * (size_t)t->J, sizeof *own), *actions = own + t->J, number[4];
    struct solution greedy = routes_of(instance, t->greedy + m * t->B + b, (size_t)t->M * t->B, t->J);
    const uint32_t decisions = sequence_of(own, t->J, instance, &greedy, &greedy, UINT32_MAX);
    rng_draw(&(struct rng){ t->seed, RNG_TEACHER, t->first + b, m }, 0, number);
    const uint32_t prefix = (uint32_t)((uint64_t)number[0] * decisions >> 32);
    const uint32_t count = decisions ? teacher_completion(actions, t->J, instance, &greedy, own, prefix) : 0;
    write(work, m, b, count ? actions : own, count ? count : decisions);
    work->prefix[m * t->B + b] = count ? prefix : t->J;
    solution_finish(&greedy);
    free(own);
}

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

// Improves the best sample of each decoder.
static void correct(const struct work *work, const struct instance *instance, uint32_t b)
{
    const struct teacher_batch *t = work->batch;
    const struct instance known = foresight_of(instance, TEACHER_MARGIN);
    struct solution *samples = xcalloc(2 * (size_t)t->M, sizeof *samples), *improved = samples + t->M;
    uint32_t *actions = xcalloc(t->J, sizeof *actions);
    for (uint32_t m = 0; m < t->M; m++) {
        samples[m] = best_sample(t, instance, m, b);
        improve_copy(&improved[m], &samples[m]);
    }
    improve(&known, improved, t->M);
    for (uint32_t m = 0; m < t->M; m++) {
        uint32_t count = drive(actions, t->J, instance, &improved[m], &samples[m]);
        write(work, m, b, actions, count);
        work->prefix[m * t->B + b] = 0;
        solution_finish(&samples[m]);
        solution_finish(&improved[m]);
    }
    free(actions);
    free(samples);
}

static void teach_instance(void *user, uint32_t b)
{
    const struct work *work = user;
    const struct teacher_batch *t = work->batch;
    struct instance drawn = { 0 };
    if (!t->instances)
        t->problem->generate(&drawn, &t->distribution, t->seed, t->first + b);
    const struct instance *instance = t->instances ? t->instances[b] : &drawn;
    for (uint32_t m = 0; t->greedy && m < t->M; m++)
        complete(work, instance, m, b);
    if (!t->greedy)
        correct(work, instance, b);
    instance_finish(&drawn);
}

void teacher_improve(const struct teacher_batch *batch, uint32_t *sequences, uint32_t *prefix)
{
    struct work work = { batch, sequences, prefix };
    threads_run(batch->threads, batch->B, teach_instance, &work);
}
