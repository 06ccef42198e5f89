#include "train/ranges.h"

#include <stdlib.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "mdam/mdam.h"
#include "util/alloc.h"
#include "util/divide.h"
#include "util/ranks.h"
#include "util/threads.h"

static void layout(struct ranges *p)
{
    for (size_t i = 0; i < arrlenu(p->list); i++) {
        for (int k = 0; k < DRAWS_SIZES; k++)
            draw_layout(&p->list[i].draws[k], p->arena, &p->sizes[i].distribution,
                sizes_seed(p->settings->seed, (enum train_draws)k));
    }
}

static bool upload(struct ranges *p)
{
    for (size_t i = 0; i < arrlenu(p->list); i++) {
        for (int k = 0; k < DRAWS_SIZES; k++) {
            if (!draw_upload(p->replica->gpu, &p->list[i].draws[k]))
                return false;
        }
    }
    return true;
}

bool ranges_create(
    struct ranges **out, const struct train_settings *settings, struct replica *replica, struct train_data *data)
{
    struct ranges *p = *out = xcalloc(1, sizeof *p);
    p->settings = settings;
    p->replica = replica;
    p->threads = threads_available();
    p->sizes = sizes_ranges(settings);
    p->data = data;
    if (data)
        data_divide(data, &p->sizes);
    arrsetlen(p->list, arrlenu(p->sizes));
    for (size_t i = 0; i < arrlenu(p->list); i++)
        p->list[i] = (struct range){ .splits = { 1, 1 } };
    p->arena = arena_create(replica->gpu, "tables of the generator");
    layout(p);
    bool ok = arena_back(p->arena) && sum_divide(replica->sum, settings->parts);
    if (ok) {
        layout(p);
        ok = upload(p);
    }
    if (!ok)
        ranges_destroy(out);
    return ok;
}

uint32_t ranges_of_step(const struct ranges *p, uint64_t step)
{
    return p->data ? data_range_of_step(p->data, step) : sizes_of_step(p->settings, p->sizes, step);
}

// Instances of the file and their numbers, by which samples are drawn; the arrays are the caller's.
static struct scaled *read_instances(
    struct ranges *p, uint32_t range, enum train_draws draws, uint32_t first, uint32_t B, uint32_t **numbers)
{
    struct scaled *list = xcalloc(B, sizeof *list);
    *numbers = xcalloc(B, sizeof **numbers);
    for (uint32_t b = 0; b < B; b++) {
        list[b] = *data_instance(p->data, range, draws, first + b);
        (*numbers)[b] = first + b;
    }
    return list;
}

bool ranges_load_lesson(struct ranges *p, uint32_t range, uint32_t first, struct lesson *lesson, uint32_t B)
{
    if (!p->data)
        return lesson_draw(lesson, &p->list[range].draws[DRAWS_TRAINING], first);
    uint32_t *numbers;
    struct scaled *list = read_instances(p, range, DRAWS_TRAINING, first, B, &numbers);
    bool ok = lesson_load(lesson, list, numbers, B);
    free(list);
    free(numbers);
    return ok;
}

bool ranges_load_rollout(
    struct ranges *p, uint32_t range, enum train_draws draws, uint32_t first, struct rollout *rollout, uint32_t B)
{
    if (!p->data)
        return rollout_draw(rollout, &p->list[range].draws[draws], first);
    uint32_t *numbers;
    struct scaled *list = read_instances(p, range, draws, first, B, &numbers);
    bool ok = rollout_load(rollout, list, numbers, B);
    free(list);
    free(numbers);
    return ok;
}

void ranges_destroy(struct ranges **slot)
{
    struct ranges *p = *slot;
    if (!p)
        return;
    arena_destroy(&p->arena);
    arrfree(p->sizes);
    arrfree(p->list);
    free(p);
    *slot = NULL;
}

static struct lesson_shape batch_shape(const struct ranges *p, uint32_t range)
{
    const struct train_settings *s = p->settings;
    return (struct lesson_shape){ .B = s->B / s->parts,
        .N = p->sizes[range].N,
        .S = s->S,
        .J = p->sizes[range].J,
        .kind = p->sizes[range].kind,
        .taught = s->imitate > 0,
        .greedy = s->imitate > 0 && s->imitate_from == MDAM_IMITATE_PREFIX,
        .seed = s->seed };
}

// More micro-batches need less memory: those that fit everywhere are the most that any rank needs.
static void agree_on_splits(struct ranges *p)
{
    const size_t count = 2 * arrlenu(p->list), ranks = ranks_count();
    uint32_t *own = xcalloc(count, sizeof *own), *all = xcalloc(ranks * count, sizeof *all);
    for (size_t i = 0; i < count; i++)
        own[i] = p->list[i / 2].splits[i % 2];
    ranks_gather(all, own, count * sizeof *own);
    for (size_t i = 0; i < ranks * count; i++) {
        uint32_t *split = &p->list[i % count / 2].splits[i % 2];
        *split = all[i] > *split ? all[i] : *split;
    }
    free(own);
    free(all);
}

bool ranges_plan(struct ranges *p)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < arrlenu(p->list); i++) {
        const struct lesson_shape shape = batch_shape(p, i);
        ok = replica_plan(p->replica, &shape, false, &p->list[i].splits[0]) &&
             (!p->settings->config.p || replica_plan(p->replica, &shape, true, &p->list[i].splits[1]));
    }
    ok = ranks_all(ok);
    if (ok)
        agree_on_splits(p);
    return ok;
}

uint32_t ranges_split(const struct ranges *p, uint32_t range)
{
    return p->list[range].splits[p->replica->glimpse];
}

struct lesson_shape ranges_shape(const struct ranges *p, uint32_t range)
{
    struct lesson_shape shape = batch_shape(p, range);
    shape.B /= ranges_split(p, range);
    return shape;
}

// Some instances of a set, of one size range.
struct portion {
    uint32_t range, first, count; // FIRST of the set
};

// Instances of a set of COUNT that belong to the ranges before RANGE.
static uint32_t before(const struct ranges *p, uint32_t range, uint32_t count)
{
    return p->data ? data_before(p->data, range) : sizes_before(p->settings, p->sizes, range, count);
}

static struct portion *cut(const struct ranges *p, const struct ranges_set *set)
{
    struct portion *list = NULL;
    for (uint32_t i = 0; i < arrlenu(p->list); i++) {
        const uint32_t B = ranges_shape(p, i).B, end = before(p, i + 1, set->count);
        for (uint32_t first = before(p, i, set->count); first < end; first += B)
            arrput(list, ((struct portion){ i, first, end - first < B ? end - first : B }));
    }
    return list;
}

// The callback that may end a batch early.
struct asked {
    const struct ranges_set *set;
    uint32_t done;
};

static bool ask(void *user, uint32_t decisions, uint32_t max_decisions)
{
    const struct asked *asked = user;
    (void)decisions, (void)max_decisions;
    return asked->set->go_on(asked->set->user, asked->done);
}

// A batch that ends early has no costs.
static bool run_batch(struct rollout *greedy, const struct ranges_set *set, uint32_t done, float *cost, bool *complete)
{
    struct asked asked = { set, done };
    const struct rollout_watch watch = { set->go_on ? ask : NULL, &asked };
    return rollout_run_watched(greedy, &watch, complete) && (!*complete || rollout_results(greedy, cost, NULL, NULL));
}

// The best cost of each instance, and behind them every decoder's sum.
static bool evaluate_portion(struct ranges *p, const struct portion *portion, const struct ranges_set *set,
    uint32_t done, double *result, bool *ended)
{
    const struct lesson_shape shape = ranges_shape(p, portion->range);
    const uint32_t M = p->settings->config.M, B = shape.B;
    struct rollout *greedy;
    if (!replica_greedy(p->replica, &shape, set->model, &greedy))
        return false;
    float *cost = xcalloc((size_t)M * B, sizeof *cost);
    bool complete = false;
    bool ok = ranges_load_rollout(p, portion->range, set->draws, set->first + portion->first, greedy, B) &&
              run_batch(greedy, set, done, cost, &complete);
    *ended = ok && !complete;
    for (uint32_t b = 0; complete && b < portion->count; b++) {
        for (uint32_t m = 0; m < M; m++) {
            double c = cost[m * B + b];
            if (m == 0 || c < result[b])
                result[b] = c;
            result[p->settings->B + m] += c;
        }
    }
    free(cost);
    return ok;
}

// The portions of all ranks, in the order of the set.
static void collect(
    const struct portion *portions, const double *results, uint32_t B, uint32_t M, double *best, double *sums)
{
    for (size_t i = 0; i < arrlenu(portions); i++) {
        const double *result = results + i * (B + M);
        for (uint32_t b = 0; b < portions[i].count; b++)
            best[portions[i].first + b] = result[b];
        for (uint32_t m = 0; sums && m < M; m++)
            sums[m] = (i ? sums[m] : 0) + result[B + m];
    }
}

bool ranges_evaluate(struct ranges *p, const struct ranges_set *set, double *best, double *sums, bool *ended)
{
    struct portion *portions = cut(p, set);
    const uint32_t M = p->settings->config.M, B = p->settings->B, ranks = ranks_count();
    const size_t width = B + M, per_rank = divide_up(arrlenu(portions), ranks), begin = ranks_rank() * per_rank;
    double *own = xcalloc(per_rank * width, sizeof *own), *all = xcalloc(ranks * per_rank * width, sizeof *all);
    uint64_t done = 0;
    bool ok = true;
    *ended = false;
    for (size_t i = 0; ok && !*ended && i < per_rank && begin + i < arrlenu(portions); i++) {
        const struct portion *portion = &portions[begin + i];
        ok = evaluate_portion(p, portion, set, (uint32_t)done, own + i * width, ended);
        done += (uint64_t)portion->count * ranks; // the others are about as far
        done = done < set->count ? done : set->count;
        if (ok && !*ended)
            *ended = set->go_on && !set->go_on(set->user, (uint32_t)done);
    }
    if (ok) {
        *ended = ranks_any(*ended);
        ranks_gather(all, own, per_rank * width * sizeof *own);
        collect(portions, all, B, M, best, sums);
    }
    free(own);
    free(all);
    arrfree(portions);
    return ok;
}
