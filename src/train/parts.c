#include "train/parts.h"

#include <stdlib.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "util/alloc.h"
#include "util/threads.h"

static void layout(struct parts *p)
{
    for (size_t i = 0; i < arrlenu(p->list); i++) {
        for (int k = 0; k < DRAWS_SIZES; k++)
            draw_layout(&p->list[i].draws[k], p->arena, &p->sizes[i].distribution,
                sizes_seed(p->settings->seed, (enum train_draws)k));
    }
}

static bool upload(struct parts *p)
{
    for (size_t i = 0; i < arrlenu(p->list); i++) {
        for (int k = 0; k < DRAWS_SIZES; k++) {
            if (!draw_upload(p->replica->gpu, &p->list[i].draws[k]))
                return false;
        }
    }
    return true;
}

bool parts_create(struct parts **out, const struct train_settings *settings, struct replica *replica)
{
    struct parts *p = *out = xcalloc(1, sizeof *p);
    p->settings = settings;
    p->replica = replica;
    p->threads = threads_available();
    p->sizes = sizes_ranges(settings);
    arrsetlen(p->list, arrlenu(p->sizes));
    for (size_t i = 0; i < arrlenu(p->list); i++)
        p->list[i] = (struct part){ .splits = { 1, 1 } };
    p->arena = arena_create(replica->gpu, "tables of the generator");
    layout(p);
    bool ok = arena_back(p->arena) && sum_divide(replica->sum, settings->parts);
    if (ok) {
        layout(p);
        ok = upload(p);
    }
    if (!ok)
        parts_destroy(out);
    return ok;
}

void parts_destroy(struct parts **slot)
{
    struct parts *p = *slot;
    if (!p)
        return;
    arena_destroy(&p->arena);
    arrfree(p->sizes);
    arrfree(p->list);
    free(p);
    *slot = NULL;
}

static struct lesson_shape batch_shape(const struct parts *p, uint32_t part)
{
    const struct train_settings *s = p->settings;
    return (struct lesson_shape){ .B = s->B / s->parts,
        .N = p->sizes[part].N,
        .S = s->S,
        .J = p->sizes[part].J,
        .taught = s->imitate > 0,
        .seed = s->seed };
}

bool parts_plan(struct parts *p)
{
    for (uint32_t i = 0; i < arrlenu(p->list); i++) {
        const struct lesson_shape shape = batch_shape(p, i);
        if (!replica_plan(p->replica, &shape, false, &p->list[i].splits[0]) ||
            (p->settings->config.p && !replica_plan(p->replica, &shape, true, &p->list[i].splits[1])))
            return false;
    }
    return true;
}

uint32_t parts_split(const struct parts *p, uint32_t part)
{
    return p->list[part].splits[p->replica->glimpse];
}

struct lesson_shape parts_shape(const struct parts *p, uint32_t part)
{
    struct lesson_shape shape = batch_shape(p, part);
    shape.B /= parts_split(p, part);
    return shape;
}

// The callback that may end a batch early.
struct asked {
    const struct parts_set *set;
    uint32_t done;
};

static bool ask(void *user, uint32_t decisions, uint32_t most)
{
    const struct asked *asked = user;
    (void)decisions, (void)most;
    return asked->set->go_on(asked->set->user, asked->done);
}

// A batch that ends early has no costs.
static bool run_batch(struct rollout *greedy, const struct parts_set *set, uint32_t done, float *cost, bool *complete)
{
    struct asked asked = { set, done };
    const struct rollout_watch watch = { set->go_on ? ask : NULL, &asked };
    return rollout_run_watched(greedy, &watch, complete) && (!*complete || rollout_results(greedy, cost, NULL, NULL));
}

// Evaluates instances from..to of the set, which belong to the size range.
static bool evaluate_part(struct parts *p, uint32_t part, const struct parts_set *set, uint32_t from, uint32_t to,
    double *best, double *sums, bool *ended)
{
    const struct lesson_shape shape = parts_shape(p, part);
    struct rollout *greedy;
    if (from == to)
        return true;
    if (!replica_greedy(p->replica, &shape, set->player, &greedy))
        return false;
    const uint32_t M = p->settings->config.M, B = shape.B;
    float *cost = xcalloc((size_t)M * B, sizeof *cost);
    bool ok = true;
    for (uint32_t at = from; ok && !*ended && at < to; at += B) {
        bool complete = false;
        ok = rollout_draw(greedy, &p->list[part].draws[set->draws], set->first + at) &&
             run_batch(greedy, set, at, cost, &complete);
        *ended = ok && !complete;
        for (uint32_t b = 0; ok && !*ended && b < B && at + b < to; b++) {
            for (uint32_t m = 0; m < M; m++) {
                double c = cost[m * B + b];
                if (m == 0 || c < best[at + b])
                    best[at + b] = c;
                if (sums)
                    sums[m] += c;
            }
        }
        if (ok && !*ended)
            *ended = set->go_on && !set->go_on(set->user, at + B < to ? at + B : to);
    }
    free(cost);
    return ok;
}

bool parts_evaluate(struct parts *p, const struct parts_set *set, double *best, double *sums, bool *ended)
{
    *ended = false;
    for (uint32_t m = 0; sums && m < p->settings->config.M; m++)
        sums[m] = 0;
    for (uint32_t i = 0; i < arrlenu(p->list) && !*ended; i++) {
        uint32_t from = sizes_before(p->settings, p->sizes, i, set->count);
        uint32_t to = sizes_before(p->settings, p->sizes, i + 1, set->count);
        if (!evaluate_part(p, i, set, from, to, best, sums, ended))
            return false;
    }
    return true;
}
