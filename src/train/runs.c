#include "train/runs.h"

#include <stdlib.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "util/alloc.h"
#include "util/error.h"

static void layout(struct runs *r)
{
    for (size_t i = 0; i < arrlenu(r->parts); i++) {
        for (int k = 0; k < DRAWS_SIZES; k++)
            draw_layout(&r->list[i].draws[k], r->arena, &r->parts[i].distribution,
                sizes_seed(r->settings->seed, (enum train_draws)k));
    }
}

static bool upload(struct runs *r)
{
    for (size_t i = 0; i < arrlenu(r->parts); i++) {
        for (int k = 0; k < DRAWS_SIZES; k++) {
            if (!draw_upload(r->gpu, &r->list[i].draws[k]))
                return false;
        }
    }
    return true;
}

bool runs_create(struct runs **out, const struct train_settings *settings, const struct model *model,
    const struct model *frozen, const struct params *d, uint64_t memory)
{
    struct runs *r = *out = xcalloc(1, sizeof *r);
    r->settings = settings;
    r->gpu = model->gpu;
    r->training = r->players[PLAYER_CURRENT] = *model;
    r->training.live = true;
    if (frozen)
        r->players[PLAYER_FROZEN] = *frozen;
    r->d = d;
    r->parts = sizes_parts(settings);
    arrsetlen(r->list, arrlenu(r->parts));
    for (size_t i = 0; i < arrlenu(r->list); i++)
        r->list[i] = (struct part_runs){ .splits = { 1, 1 } };
    r->arena = arena_create(r->gpu, "tables of the generator");
    layout(r);
    bool ok = arena_back(r->arena);
    if (ok) {
        layout(r);
        ok = upload(r);
    }
    // What the driver tells is an estimate, and pieces do not fill it completely.
    r->memory = memory ? memory : gpu_memory_left(r->gpu) / 8 * 7;
    r->limited = memory;
    r->glimpse = settings->config.p;
    if (!ok)
        runs_destroy(out);
    return ok;
}

static void drop(struct part_runs *part)
{
    gradient_destroy(&part->gradient);
    rollout_destroy(&part->kept);
    for (int k = 0; k < PLAYERS; k++)
        rollout_destroy(&part->greedy[k]);
}

void runs_destroy(struct runs **slot)
{
    struct runs *r = *slot;
    if (!r)
        return;
    for (size_t i = 0; i < arrlenu(r->list); i++)
        drop(&r->list[i]);
    arena_destroy(&r->arena);
    arrfree(r->parts);
    arrfree(r->list);
    free(r);
    *slot = NULL;
}

static struct rollout_shape shape_of(const struct runs *r, uint32_t part, uint32_t split, bool keep)
{
    const struct train_settings *s = r->settings;
    return (struct rollout_shape){ .B = s->B / split,
        .N = r->parts[part].N,
        .S = keep ? s->S : 1,
        .J = r->parts[part].J,
        .mode = keep ? SAMPLE : GREEDY,
        .temperature = 1,
        .seed = s->seed,
        .keep = keep };
}

// What the rollouts of a part take: samples with their gradient, and a greedy one for each player.
static uint64_t bytes_of(const struct runs *r, uint32_t part, uint32_t split, bool glimpse)
{
    struct model training = r->training, player = r->players[PLAYER_CURRENT];
    training.config.p = player.config.p = glimpse ? r->settings->config.p : 0;
    struct rollout_shape kept = shape_of(r, part, split, true), greedy = shape_of(r, part, split, false);
    uint64_t players = r->settings->baseline == BASELINE_ROLLOUT ? 2 : 1, samples = rollout_bytes(&training, &kept);
    if (samples == ROLLOUT_IMPOSSIBLE)
        return samples;
    return samples + gradient_bytes(&training, &kept) + players * rollout_bytes(&player, &greedy);
}

static bool plan(const struct runs *r, uint32_t part, bool glimpse, uint32_t *split)
{
    const uint32_t B = r->settings->B;
    for (*split = 1; *split <= B; ++*split) {
        if (B % *split == 0 && bytes_of(r, part, *split, glimpse) <= r->memory)
            return true;
    }
    unsigned long long needed = (bytes_of(r, part, B, glimpse) >> 20) + 1, there = r->memory >> 20;
    if (r->limited)
        return fail(FAULT_INPUT, "--memory: one instance of %u nodes at a time needs %llu MiB for training, not %llu",
            r->parts[part].N, needed, there);
    return fail(FAULT_DEVICE, "%s: one instance of %u nodes at a time needs %llu MiB for training, %llu are available",
        gpu_info(r->gpu)->name, r->parts[part].N, needed, there);
}

bool runs_plan(struct runs *r)
{
    for (uint32_t i = 0; i < arrlenu(r->parts); i++) {
        if (!plan(r, i, false, &r->list[i].splits[0]) ||
            (r->settings->config.p && !plan(r, i, true, &r->list[i].splits[1])))
            return false;
    }
    return true;
}

void runs_set_glimpse(struct runs *r, bool glimpse)
{
    uint32_t p = glimpse ? r->settings->config.p : 0;
    if (r->training.config.p == p)
        return;
    for (size_t i = 0; i < arrlenu(r->list); i++)
        drop(&r->list[i]);
    r->glimpse = glimpse;
    r->training.config.p = p;
    for (int k = 0; k < PLAYERS; k++)
        r->players[k].config.p = p;
}

uint32_t runs_split(const struct runs *r, uint32_t part)
{
    return r->list[part].splits[r->glimpse];
}

static bool is_empty(const struct part_runs *part)
{
    return !part->kept && !part->greedy[PLAYER_CURRENT] && !part->greedy[PLAYER_FROZEN];
}

// Makes room for a part by dropping those that were not used for the longest time.
static void make_room(struct runs *r, uint32_t part)
{
    r->list[part].used = ++r->clock;
    uint64_t taken = bytes_of(r, part, runs_split(r, part), r->glimpse);
    for (uint32_t i = 0; i < arrlenu(r->list); i++) {
        if (i != part && !is_empty(&r->list[i]))
            taken += bytes_of(r, i, runs_split(r, i), r->glimpse);
    }
    while (taken > r->memory) {
        uint32_t oldest = part;
        for (uint32_t i = 0; i < arrlenu(r->list); i++) {
            if (!is_empty(&r->list[i]) && r->list[i].used < r->list[oldest].used)
                oldest = i;
        }
        if (oldest == part)
            return;
        taken -= bytes_of(r, oldest, runs_split(r, oldest), r->glimpse);
        drop(&r->list[oldest]);
    }
}

bool runs_training(struct runs *r, uint32_t index, struct rollout **kept, struct gradient **gradient)
{
    struct part_runs *part = &r->list[index];
    if (!part->gradient) {
        make_room(r, index);
        struct rollout_shape shape = shape_of(r, index, runs_split(r, index), true);
        if (!rollout_create(&part->kept, &r->training, &shape))
            return false;
        if (!gradient_create(&part->gradient, part->kept, r->d)) {
            rollout_destroy(&part->kept);
            return false;
        }
    }
    part->used = ++r->clock;
    *kept = part->kept;
    *gradient = part->gradient;
    return true;
}

bool runs_greedy(struct runs *r, uint32_t index, enum train_player player, struct rollout **greedy)
{
    struct part_runs *part = &r->list[index];
    if (!part->greedy[player]) {
        make_room(r, index);
        struct rollout_shape shape = shape_of(r, index, runs_split(r, index), false);
        if (!rollout_create(&part->greedy[player], &r->players[player], &shape))
            return false;
    }
    part->used = ++r->clock;
    *greedy = part->greedy[player];
    return true;
}

// Who is asked within a batch whether it is to be completed.
struct asked {
    const struct runs_set *set;
    uint32_t done;
};

static bool ask(void *user, uint32_t decisions, uint32_t most)
{
    const struct asked *asked = user;
    (void)decisions, (void)most;
    return asked->set->go_on(asked->set->user, asked->done);
}

// A batch that is broken off gives no costs.
static bool run_batch(struct rollout *greedy, const struct runs_set *set, uint32_t done, float *cost)
{
    struct asked asked = { set, done };
    greedy->go_on = set->go_on ? ask : NULL;
    greedy->user = &asked;
    bool ok = rollout_run(greedy) && (greedy->broken || rollout_results(greedy, cost, NULL, NULL));
    greedy->go_on = NULL; // it serves the training, too
    return ok;
}

// Instances from..to of the set are the part's.
static bool evaluate_part(struct runs *r, uint32_t part, const struct runs_set *set, uint32_t from, uint32_t to,
    double *best, double *sums, bool *ended)
{
    struct rollout *greedy;
    if (from == to)
        return true;
    if (!runs_greedy(r, part, set->player, &greedy))
        return false;
    const uint32_t M = r->settings->config.M, B = greedy->shape.B;
    float *cost = xcalloc((size_t)M * B, sizeof *cost);
    bool ok = true;
    for (uint32_t at = from; ok && !*ended && at < to; at += B) {
        ok =
            rollout_draw(greedy, &r->list[part].draws[set->draws], set->first + at) && run_batch(greedy, set, at, cost);
        *ended = ok && greedy->broken;
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

bool runs_evaluate(struct runs *r, const struct runs_set *set, double *best, double *sums, bool *ended)
{
    *ended = false;
    for (uint32_t m = 0; sums && m < r->settings->config.M; m++)
        sums[m] = 0;
    for (uint32_t i = 0; i < arrlenu(r->parts) && !*ended; i++) {
        uint32_t from = sizes_before(r->settings, r->parts, i, set->count);
        uint32_t to = sizes_before(r->settings, r->parts, i + 1, set->count);
        if (!evaluate_part(r, i, set, from, to, best, sums, ended))
            return false;
    }
    return true;
}
