// Beam search with merging: a separate beam for each decoder, written for reading.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "reference_internal.h"
#include "util/alloc.h"

struct hypothesis {
    struct walk walk;
    double score;
    struct embedding embedding;
    struct projection projection;
};

// A hypothesis and a move that it offers.
struct candidate {
    uint32_t parent, node, index;
    struct walk walk; // after the move
    double score, delivered;
    double merged; // the score after merging; -INFINITY: gone
};

static int by_merged(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->merged != b->merged)
        return a->merged > b->merged ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static void offer(struct candidate **list, const struct hypothesis *from, uint32_t parent, uint32_t node, double log_p)
{
    struct candidate c = { .parent = parent, .node = node, .index = (uint32_t)arrlen(*list) };
    walk_copy(&c.walk, &from->walk);
    walk_visit(&c.walk, node);
    c.score = c.merged = from->score + log_p;
    c.delivered = from->walk.left ? (double)from->walk.left[node] - c.walk.left[node] : 0;
    arrput(*list, c);
}

// The K best moves of hypothesis number PARENT; one that is done stays where it is.
static void offer_best(struct reference_run *run, uint32_t m, const struct hypothesis *from, uint32_t parent,
    uint32_t K, struct candidate **list)
{
    if (from->walk.done) {
        offer(list, from, parent, 0, 0);
        return;
    }
    const uint32_t N = from->walk.instance->N;
    const double *log_p = decode(run, m, &from->walk, &from->embedding, &from->projection)->value;
    bool *taken = xcalloc(N, sizeof *taken);
    for (uint32_t k = 0; k < K && k < N; k++) {
        uint32_t best = N;
        for (uint32_t v = 0; v < N; v++) {
            if (from->walk.allowed[v] && !taken[v] && (best == N || log_p[v] > log_p[best]))
                best = v;
        }
        if (best == N)
            break;
        taken[best] = true;
        offer(list, from, parent, best, log_p[best]);
    }
    free(taken);
}

// Whether the two stand at the same node with the same still to do; their parents' loads may differ.
static bool comparable(const struct hypothesis *beam, const struct candidate *a, const struct candidate *c)
{
    const struct walk *p = &beam[a->parent].walk, *q = &beam[c->parent].walk;
    const uint32_t N = p->instance->N;
    if (a->parent == c->parent || a->node != c->node)
        return false;
    if (p->left)
        return !memcmp(p->left, q->left, N * sizeof *p->left);
    return !memcmp(p->visited, q->visited, N * sizeof *p->visited) &&
           (p->instance->problem->has_depot || p->first == q->first);
}

// Whether whatever A can still do, C can do at least as well.
static bool is_inferior(const struct hypothesis *beam, const struct candidate *a, const struct candidate *c)
{
    if (!comparable(beam, a, c) || a->walk.length < c->walk.length || a->walk.load < c->walk.load ||
        a->delivered > c->delivered)
        return false;
    bool tie = a->walk.length == c->walk.length && a->walk.load == c->walk.load && a->delivered == c->delivered;
    return !tie || a->index < c->index;
}

static void merge_candidates(const struct hypothesis *beam, struct candidate *list)
{
    const ptrdiff_t count = arrlen(list);
    for (ptrdiff_t i = 0; i < count * count; i++) {
        struct candidate *a = &list[i / count], *c = &list[i % count];
        if (is_inferior(beam, a, c))
            c->merged = fmax(c->merged, a->score);
    }
    for (ptrdiff_t i = 0; i < count * count; i++) {
        if (is_inferior(beam, &list[i / count], &list[i % count]))
            list[i / count].merged = -INFINITY;
    }
}

// The next beam: the best W of the candidates, which are freed.
static struct hypothesis *choose(const struct hypothesis *beam, struct candidate *list, uint32_t W)
{
    struct hypothesis *next = NULL;
    qsort(list, (size_t)arrlen(list), sizeof *list, by_merged);
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        struct hypothesis h = beam[list[i].parent];
        if (arrlen(next) < (ptrdiff_t)W && list[i].merged > -INFINITY) {
            h.walk = list[i].walk;
            h.score = list[i].merged;
            arrput(next, h);
        } else {
            walk_finish(&list[i].walk);
        }
    }
    arrfree(list);
    return next;
}

static void free_beam(struct hypothesis *beam)
{
    for (ptrdiff_t i = 0; i < arrlen(beam); i++)
        walk_finish(&beam[i].walk);
    arrfree(beam);
}

static void look_again(
    struct reference_run *run, const struct plain *plain, uint32_t m, uint32_t step, struct hypothesis *beam)
{
    struct viewer *list = NULL;
    for (ptrdiff_t i = 0; i < arrlen(beam); i++) {
        if (!beam[i].walk.done)
            arrput(list, ((struct viewer){ &beam[i].walk, m, 0, &beam[i].embedding }));
    }
    glimpse(run, plain, step, list, (uint32_t)arrlen(list));
    arrfree(list);
    for (ptrdiff_t i = 0; i < arrlen(beam); i++)
        beam[i].projection = project(run, m, &beam[i].embedding);
}

static bool all_done(const struct hypothesis *beam)
{
    for (ptrdiff_t i = 0; i < arrlen(beam); i++) {
        if (!beam[i].walk.done)
            return false;
    }
    return true;
}

static double search(
    struct reference_run *run, const struct plain *plain, uint32_t m, uint32_t W, uint32_t K, bool merge)
{
    struct hypothesis start = { .embedding = plain_embedding(run, plain, 0) }, *beam = NULL;
    walk_begin(&start.walk, run->instances);
    start.projection = project(run, m, &start.embedding);
    arrput(beam, start);
    for (uint32_t j = 0; !all_done(beam); j++) {
        if (glimpse_is_due(&run->model->config, j))
            look_again(run, plain, m, j, beam);
        struct candidate *list = NULL;
        for (ptrdiff_t i = 0; i < arrlen(beam); i++)
            offer_best(run, m, &beam[i], (uint32_t)i, K, &list);
        if (merge)
            merge_candidates(beam, list);
        struct hypothesis *next = choose(beam, list, W);
        free_beam(beam);
        beam = next;
    }
    double cost = INFINITY;
    for (ptrdiff_t i = 0; i < arrlen(beam); i++)
        cost = fmin(cost, walk_cost(&beam[i].walk));
    free_beam(beam);
    return cost;
}

void reference_beam(
    const struct reference *model, const struct scaled *instance, uint32_t W, uint32_t K, bool merge, double *cost)
{
    struct reference_run run;
    struct plain plain;
    run_begin(&run, model, instance, 1, NULL);
    plain_pass(&run, &plain);
    for (uint32_t m = 0; m < model->config.M; m++)
        cost[m] = search(&run, &plain, m, W, K, merge);
    plain_finish(&plain);
    reference_run_finish(&run);
}
