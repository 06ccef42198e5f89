#include "learn/replica.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/ranks.h"

static bool record_freeze(struct replica *r)
{
    struct tensor from, to;
    const struct model *model = r->model, *frozen = r->frozen;
    if (!params_flat(&from, &model->params, &model->config) || !params_flat(&to, &frozen->params, &model->config))
        return false;
    r->freeze = cmd_create(r->gpu);
    cmd_label(r->freeze, "freeze");
    cmd_copy(r->freeze, to.address, from.address, 4 * tensor_count(&from));
    if (model->stats.plain.address)
        cmd_copy(
            r->freeze, frozen->stats.plain.address, model->stats.plain.address, 4 * tensor_count(&model->stats.plain));
    if (model->stats.glimpse.address)
        cmd_copy(r->freeze, frozen->stats.glimpse.address, model->stats.glimpse.address,
            4 * tensor_count(&model->stats.glimpse));
    model_fold(r->freeze, frozen);
    return true;
}

bool replica_create(struct replica **out, struct gpu *gpu, const struct config *config, bool frozen, uint64_t memory)
{
    struct replica *r = *out = xcalloc(1, sizeof *r);
    r->gpu = gpu;
    r->memory = memory;
    r->glimpse = config->p;
    bool ok = model_create(&r->model, gpu, config) && sum_create(&r->sum, r->model) &&
              optimiser_create(&r->optimiser, r->model, r->sum);
    if (ok && frozen)
        ok = model_create(&r->frozen, gpu, config) && record_freeze(r);
    if (!ok)
        replica_destroy(out);
    return ok;
}

static void drop(struct runs *runs)
{
    lesson_destroy(&runs->lesson);
    for (int k = 0; k < REPLICA_MODELS; k++)
        rollout_destroy(&runs->greedy[k]);
}

static void drop_all(struct replica *r)
{
    for (size_t i = 0; i < arrlenu(r->runs); i++)
        drop(&r->runs[i]);
    arrfree(r->runs);
}

void replica_destroy(struct replica **slot)
{
    struct replica *r = *slot;
    if (!r)
        return;
    drop_all(r);
    cmd_destroy(&r->freeze);
    optimiser_destroy(&r->optimiser);
    sum_destroy(&r->sum);
    model_destroy(&r->frozen);
    model_destroy(&r->model);
    free(r);
    *slot = NULL;
}

bool replica_freeze(struct replica *r)
{
    return cmd_run(r->freeze);
}

void replica_set_glimpse(struct replica *r, bool glimpse)
{
    glimpse = glimpse && r->model->config.p;
    if (r->glimpse != glimpse)
        drop_all(r);
    r->glimpse = glimpse;
}

static struct view view_of(const struct model *model, bool glimpse, bool live)
{
    return (struct view){ .model = model, .p = glimpse ? model->config.p : 0, .live = live };
}

static struct rollout_shape greedy_shape(const struct lesson_shape *shape)
{
    return (struct rollout_shape){ .B = shape->B,
        .N = shape->N,
        .S = 1,
        .J = shape->J,
        .kind = shape->kind,
        .mode = GREEDY,
        .temperature = 1,
        .seed = shape->seed };
}

// Returns the memory of all runs of a shape: a lesson and, unless trajectories are given, a greedy rollout of each
// model.
static uint64_t bytes_of(const struct replica *r, const struct lesson_shape *shape, bool glimpse)
{
    const struct view learning = view_of(r->model, glimpse, true), playing = view_of(r->model, glimpse, false);
    const struct rollout_shape greedy = greedy_shape(shape);
    uint64_t bytes = lesson_bytes(&learning, shape), models = shape->given ? 0 : r->frozen ? 2 : 1;
    return bytes == ROLLOUT_IMPOSSIBLE || !models ? bytes : bytes + models * rollout_bytes(&playing, &greedy);
}

// Memory that a batch may use. Its division decides the order of sums, so this is a share of the device's memory,
// whatever other programs use of it. A CPU's is the host's, too, and its ranks share it.
static uint64_t memory_of(const struct replica *r)
{
    const uint64_t all = gpu_memory(r->gpu);
    if (r->memory)
        return r->memory;
    return gpu_info(r->gpu)->is_cpu ? all / 2 / ranks_local_count() : all / 4 * 3;
}

// Memory that all recorded runs may use together; no byte of a result depends on it. The driver's figure is an
// estimate, and allocations do not fill it completely.
static uint64_t room_of(struct replica *r)
{
    if (!r->room && !r->memory) {
        const uint64_t free = gpu_memory_left(r->gpu) / 8 * 7 / (gpu_info(r->gpu)->is_cpu ? ranks_local_count() : 1);
        r->room = free < memory_of(r) ? free : memory_of(r);
    }
    return r->memory ? r->memory : r->room;
}

bool replica_plan(struct replica *r, const struct lesson_shape *shape, bool glimpse, uint32_t *split)
{
    struct lesson_shape part = *shape;
    uint64_t bytes = UINT64_MAX;
    for (*split = 1; *split <= shape->B; ++*split) {
        part.B = shape->B / *split;
        bytes = bytes_of(r, &part, glimpse);
        if (shape->B % *split == 0 && bytes <= memory_of(r))
            break;
    }
    const unsigned long long needed = (bytes >> 20) + 1, there = memory_of(r) >> 20, free = room_of(r) >> 20;
    if (*split > shape->B && r->memory)
        return fail_field(FAULT_INPUT, "memory",
            "one instance of %u nodes at a time needs %llu MiB for training, not %llu", shape->N, needed, there);
    if (*split > shape->B)
        return fail(FAULT_DEVICE, "%s: one instance of %u nodes at a time needs %llu MiB for training, of %llu",
            gpu_info(r->gpu)->name, shape->N, needed, there);
    if (bytes > room_of(r))
        return fail_field(FAULT_DEVICE, "memory",
            "%u instances of %u nodes at a time need %llu MiB for training and %llu are free; a limit below that "
            "divides "
            "the batch further",
            part.B, shape->N, needed, free);
    return true;
}

bool replica_holds(struct replica *r, const struct lesson_shape *shape, uint32_t count)
{
    return bytes_of(r, shape, r->glimpse) <= room_of(r) / count;
}

static bool same_shape(const struct lesson_shape *a, const struct lesson_shape *b)
{
    return a->B == b->B && a->N == b->N && a->S == b->S && a->J == b->J && a->kind == b->kind && a->given == b->given &&
           a->taught == b->taught && a->greedy == b->greedy && a->seed == b->seed && a->copy == b->copy;
}

// Frees memory by dropping the least recently used runs.
static void make_room(struct replica *r, uint64_t bytes)
{
    for (size_t i = 0; i < arrlenu(r->runs); i++)
        bytes += r->runs[i].bytes;
    while (bytes > room_of(r) && arrlenu(r->runs)) {
        size_t oldest = 0;
        for (size_t i = 1; i < arrlenu(r->runs); i++) {
            if (r->runs[i].used < r->runs[oldest].used)
                oldest = i;
        }
        bytes -= r->runs[oldest].bytes;
        drop(&r->runs[oldest]);
        arrdelswap(r->runs, oldest);
    }
}

static struct runs *find(struct replica *r, const struct lesson_shape *shape)
{
    struct runs *found = NULL;
    for (size_t i = 0; i < arrlenu(r->runs); i++) {
        if (same_shape(&r->runs[i].shape, shape))
            found = &r->runs[i];
    }
    if (!found) {
        struct runs runs = { .shape = *shape, .bytes = bytes_of(r, shape, r->glimpse) };
        make_room(r, runs.bytes);
        arrput(r->runs, runs);
        found = &arrlast(r->runs);
    }
    found->used = ++r->clock;
    return found;
}

bool replica_lesson(struct replica *r, const struct lesson_shape *shape, struct lesson **lesson)
{
    struct runs *runs = find(r, shape);
    const struct view view = view_of(r->model, r->glimpse, true);
    bool ok = runs->lesson || lesson_create(&runs->lesson, &view, shape, &r->sum->d);
    *lesson = runs->lesson;
    return ok;
}

bool replica_greedy(
    struct replica *r, const struct lesson_shape *shape, enum replica_model model, struct rollout **greedy)
{
    struct runs *runs = find(r, shape);
    const struct view view = view_of(model == REPLICA_FROZEN ? r->frozen : r->model, r->glimpse, false);
    const struct rollout_shape greedily = greedy_shape(shape);
    bool ok = runs->greedy[model] || rollout_create(&runs->greedy[model], &view, &greedily);
    *greedy = runs->greedy[model];
    return ok;
}

bool replica_update(struct replica *r, double rate, struct optimiser_step *step)
{
    return optimiser_run(r->optimiser, rate, step);
}

// --- given trajectories -------------------------------------------------------------------------------------------

// The trajectories of a list as a grid (M, B, S), where S is the max per decoder and instance. Unused cells repeat
// another trajectory of the instance with coefficient 0.
struct grid {
    const struct replica_task *task;
    uint32_t M, S;
    uint32_t *index_of; // (M, B, S): the trajectory's index in the list
    bool *counts;       // (M, B, S): not a repetition
};

static void fill_grid(struct grid *g, const struct replica_task *task, uint32_t M)
{
    const uint32_t B = task->B;
    uint32_t *number = xcalloc((size_t)M * B, sizeof *number), *some = xcalloc(B, sizeof *some);
    *g = (struct grid){ .task = task, .M = M, .S = 1 };
    for (uint32_t i = 0; i < task->count; i++) {
        const struct trajectory *t = &task->trajectories[i];
        if (t->instance >= B || t->decoder >= M)
            bug("a trajectory of decoder %u of %u through instance %u of %u", t->decoder, M, t->instance, B);
        uint32_t seen = ++number[t->decoder * B + t->instance];
        g->S = seen > g->S ? seen : g->S;
        some[t->instance] = i + 1;
    }
    g->index_of = xcalloc((size_t)M * B * g->S, sizeof *g->index_of);
    g->counts = xcalloc((size_t)M * B * g->S, sizeof *g->counts);
    for (uint32_t k = 0; k < M * B * g->S; k++) {
        uint32_t b = k / g->S % B;
        if (!some[b])
            bug("instance %u has no trajectory", b);
        g->index_of[k] = some[b] - 1;
    }
    memset(number, 0, (size_t)M * B * sizeof *number);
    for (uint32_t i = 0; i < task->count; i++) {
        uint32_t at = task->trajectories[i].decoder * B + task->trajectories[i].instance;
        uint32_t k = at * g->S + number[at]++;
        g->index_of[k] = i;
        g->counts[k] = true;
    }
    free(number);
    free(some);
}

static struct lesson_shape shape_of(const struct grid *g)
{
    const struct replica_task *task = g->task;
    struct lesson_shape shape = { .B = task->B, .S = g->S, .given = true };
    for (uint32_t b = 0; b < task->B; b++) {
        const enum batch_kind kind = batch_kind_of(&task->instances[b]);
        shape.N = task->instances[b].N > shape.N ? task->instances[b].N : shape.N;
        shape.kind = kind > shape.kind ? kind : shape.kind;
    }
    shape.J = rollout_longest(task->instances, task->B);
    return shape;
}

// Learns from the shape's number of instances of the task, from FIRST on.
static bool learn_part(struct lesson *lesson, const struct grid *g, const struct lesson_shape *shape, uint32_t first,
    double *likelihood, double *kl)
{
    const struct replica_task *task = g->task;
    const uint32_t S = g->S, B = shape->B, T = g->M * B * S;
    uint32_t *actions = xcalloc((size_t)shape->J * T, sizeof *actions), *prefix = xcalloc(T, sizeof *prefix);
    float *coefficient = xcalloc(3 * (size_t)T, sizeof *coefficient), *cost = coefficient + T, *total = cost + T;
    for (uint32_t t = 0; t < T; t++) {
        uint32_t k = (t / (B * S) * task->B + first + t / S % B) * S + t % S;
        const struct trajectory *from = &task->trajectories[g->index_of[k]];
        coefficient[t] = g->counts[k] ? (float)from->coefficient : 0;
        prefix[t] = from->prefix;
        for (uint32_t j = 0; j < from->count && j < shape->J; j++)
            actions[(size_t)j * T + t] = from->actions[j];
    }
    const struct lesson_weights weights = { .coefficient = coefficient, .prefix = prefix };
    double divergence = 0, share = (double)B / task->B;
    bool ok = lesson_load(lesson, task->instances + first, NULL, B) && lesson_run(lesson, actions, cost, total) &&
              lesson_learn(lesson, &weights, task->dkl * share, &divergence);
    *kl += divergence * share;
    for (uint32_t t = 0; likelihood && t < T; t++) {
        uint32_t k = (t / (B * S) * task->B + first + t / S % B) * S + t % S;
        if (g->counts[k])
            likelihood[g->index_of[k]] = total[t];
    }
    free(actions);
    free(prefix);
    free(coefficient);
    return ok;
}

bool replica_learn(struct replica *r, const struct replica_task *task, double *likelihood, double *kl)
{
    struct grid grid;
    struct lesson *lesson;
    uint32_t split;
    *kl = 0;
    fill_grid(&grid, task, r->model->config.M);
    struct lesson_shape shape = shape_of(&grid);
    bool ok = replica_plan(r, &shape, r->glimpse, &split);
    if (ok) {
        shape.B /= split;
        ok = replica_lesson(r, &shape, &lesson);
    }
    for (uint32_t first = 0; ok && first < task->B; first += shape.B)
        ok = learn_part(lesson, &grid, &shape, first, likelihood, kl);
    free(grid.index_of);
    free(grid.counts);
    return ok;
}
