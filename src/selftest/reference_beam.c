// Beam search with merging: a separate beam per decoder, written for reading.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "selftest/reference_internal.h"
#include "util/alloc.h"

#define TIE   (4 * FLT_EPSILON) // relative difference within which lengths are equal
#define CLOSE 1e-5              // closer scores may be ordered differently in single precision

struct hypothesis {
    struct walk walk;
    double score;
    struct embedding embedding;
    struct projection projection;
};

// A hypothesis and an action that it offers.
struct candidate {
    uint32_t parent, node, index;
    struct walk walk; // after the action
    double score, delivered;
    double merged; // the score after merging; -INFINITY: merged
    bool settled;
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

// Offers the K best actions of hypothesis PARENT; a finished one stays.
static void offer_best(struct reference_run *run, uint32_t m, const struct hypothesis *from, uint32_t parent,
    uint32_t K, struct candidate **list, struct reference_doubt *doubt)
{
    if (from->walk.done) {
        offer(list, from, parent, 0, 0);
        return;
    }
    const uint32_t N = from->walk.instance->N;
    const double *log_p = decode(run, m, &from->walk, &from->embedding, &from->projection)->value;
    bool *offered = xcalloc(N, sizeof *offered);
    double last = INFINITY;
    for (uint32_t k = 0; k <= K && k < N; k++) {
        uint32_t best = N;
        for (uint32_t v = 0; v < N; v++) {
            if (from->walk.allowed[v] && !offered[v] && (best == N || log_p[v] > log_p[best]))
                best = v;
        }
        if (best == N)
            break;
        if (k == K) {
            doubt->close += last - log_p[best] < CLOSE;
            break;
        }
        offered[best] = true;
        last = log_p[best];
        offer(list, from, parent, best, log_p[best]);
    }
    free(offered);
}

// Returns whether both are at the same node with the same remaining nodes; their parents' loads may differ.
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

// Returns whether A can continue at least as well as C. Lengths that are equal within single precision are
// those of the same legs in another order.
static bool dominates(const struct candidate *a, const struct candidate *c)
{
    double tie = TIE * fmax(a->walk.length, c->walk.length);
    return a->walk.length - c->walk.length <= tie && a->walk.load <= c->walk.load && a->delivered >= c->delivered;
}

static bool surpasses(const struct candidate *a, const struct candidate *c)
{
    return dominates(a, c) && !dominates(c, a);
}

static void note_doubt(const struct candidate *a, const struct candidate *c, struct reference_doubt *doubt)
{
    double more = fabs(a->walk.length - c->walk.length) / fmax(a->walk.length, c->walk.length);
    doubt->ties += dominates(a, c) && dominates(c, a);
    doubt->close += more > TIE / 4 && more < 4 * TIE;
}

// Returns whether an open candidate surpasses C.
static bool is_surpassed(const struct hypothesis *beam, const struct candidate *list, const struct candidate *c)
{
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        if (!list[i].settled && comparable(beam, &list[i], c) && surpasses(&list[i], c))
            return true;
    }
    return false;
}

// The lowest of comparable candidates that no other surpasses leads and removes all that it dominates; then the next of
// the remaining ones. A leader inherits the best score of those it dominates.
static void merge_candidates(const struct hypothesis *beam, struct candidate *list, struct reference_doubt *doubt)
{
    const ptrdiff_t count = arrlen(list);
    for (bool some = true; some;) {
        some = false;
        for (ptrdiff_t i = 0; i < count; i++) {
            struct candidate *c = &list[i];
            if (c->settled || is_surpassed(beam, list, c))
                continue;
            some = c->settled = true;
            for (ptrdiff_t k = 0; k < count; k++) {
                struct candidate *d = &list[k];
                if (!comparable(beam, c, d))
                    continue;
                if (k > i)
                    note_doubt(c, d, doubt);
                if (!dominates(c, d))
                    continue;
                c->merged = fmax(c->merged, d->score);
                if (!d->settled)
                    d->merged = -INFINITY;
                d->settled = true;
            }
        }
    }
}

static int by_index(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return a->index < b->index ? -1 : 1;
}

// Makes the next beam: the best W candidates in the order in which they were offered. Frees the list.
static struct hypothesis *choose(
    const struct hypothesis *beam, struct candidate *list, uint32_t W, struct reference_doubt *doubt)
{
    struct hypothesis *next = NULL;
    size_t count = arrlenu(list);
    qsort(list, count, sizeof *list, by_merged);
    if (count > W && list[W].merged > -INFINITY && list[W - 1].merged != list[W].merged)
        doubt->close += list[W - 1].merged - list[W].merged < CLOSE;
    for (size_t i = W; i < count; i++)
        list[i].merged = -INFINITY;
    qsort(list, count, sizeof *list, by_index);
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        struct hypothesis h = beam[list[i].parent];
        if (list[i].merged > -INFINITY) {
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

static double search(struct reference_run *run, const struct plain *plain, uint32_t m, uint32_t W, uint32_t K,
    bool merge, struct reference_doubt *doubt)
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
            offer_best(run, m, &beam[i], (uint32_t)i, K, &list, doubt);
        if (merge)
            merge_candidates(beam, list, doubt);
        struct hypothesis *next = choose(beam, list, W, doubt);
        free_beam(beam);
        beam = next;
    }
    double cost = INFINITY;
    for (ptrdiff_t i = 0; i < arrlen(beam); i++)
        cost = fmin(cost, walk_cost(&beam[i].walk));
    free_beam(beam);
    return cost;
}

void reference_beam(const struct reference *model, const struct scaled *instance, uint32_t W, uint32_t K, bool merge,
    double *cost, struct reference_doubt *doubt)
{
    struct reference_run run;
    struct plain plain;
    run_begin(&run, model, instance, 1, NULL);
    plain_pass(&run, &plain);
    for (uint32_t m = 0; m < model->config.M; m++) {
        struct reference_doubt found = { 0 };
        cost[m] = search(&run, &plain, m, W, K, merge, &found);
        if (doubt)
            doubt[m] = found;
    }
    plain_finish(&plain);
    reference_run_finish(&run);
}
