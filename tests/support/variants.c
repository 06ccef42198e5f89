#include "variants.h"

#include <math.h>
#include <munit.h>
#include <stb/stb_ds.h>
#include <stdlib.h>

#include "device.h"
#include "problem/metric.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/rng.h"

static double unit(uint32_t seed, uint32_t i)
{
    uint32_t number[4];
    rng_draw(&(struct rng){ .seed = seed, .purpose = 900 }, i, number);
    return rng_unit(number[0]);
}

static void set_matrix(struct instance *instance, uint32_t seed, bool nowhere)
{
    const uint32_t N = instance_nodes(instance);
    double *distances = xcalloc((size_t)N * N, sizeof *distances);
    for (uint32_t i = 0; i < N * N; i++)
        distances[i] = instance_distance(instance, i / N, i % N) * (0.7 + 0.9 * unit(seed, i));
    instance->distances = distances;
    instance->coordinates = nowhere ? COORDINATES_NONE : instance->coordinates;
}

// Degrees are about a hundred kilometres.
static void set_lonlat(struct instance *instance)
{
    instance->coordinates = COORDINATES_LONLAT;
    instance->max_length *= 100;
    for (uint32_t i = 0; i < instance->n && instance->penalty; i++)
        instance->penalty[i] *= 100;
}

void make_variant(struct instance *instance, unsigned variant, uint32_t seed)
{
    int64_t sum = 0;
    instance->open = variant & VARIANT_OPEN;
    if (variant & VARIANT_LONLAT)
        set_lonlat(instance);
    if (variant & VARIANT_MATRIX)
        set_matrix(instance, seed, variant & VARIANT_NOWHERE);
    for (uint32_t i = 0; i < instance->n && instance->demand; i++)
        sum += instance->demand[i];
    if (instance->demand && variant & VARIANT_FLEET)
        instance->vehicles = (double)((sum + instance->capacity - 1) / instance->capacity);
    if (!instance->problem->has_depot && variant & VARIANT_START)
        instance->start = 1 + (seed + 1) % instance->n;
    if (!instance->problem->has_depot && variant & VARIANT_END)
        instance->end = 1 + (seed * 3 + 2) % instance->n;
    if (instance->start == instance->end && instance->open)
        instance->end = 0;
    test_ok(instance_check(instance));
}

struct attempt {
    const struct instance *instance;
    struct solution solution;
    bool *used;
    double best;
};

static void try_plan(struct attempt *a)
{
    struct verdict verdict;
    a->instance->problem->judge(a->instance, &a->solution, &verdict);
    bool better =
        isnan(a->best) || (a->instance->problem->maximise ? verdict.objective > a->best : verdict.objective < a->best);
    if (verdict.feasible && better)
        a->best = verdict.objective;
}

// Appends every customer that is left, to the last route or to a new one.
static void try_all(struct attempt *a)
{
    const struct problem *problem = a->instance->problem;
    try_plan(a);
    for (uint32_t i = 0; i < a->instance->n; i++) {
        if (a->used[i])
            continue;
        a->used[i] = true;
        for (int fresh = arrlen(a->solution.routes) == 0; fresh <= 1; fresh++) {
            if (fresh && arrlen(a->solution.routes) && !problem->many_routes)
                continue;
            if (fresh)
                arrput(a->solution.routes, ((struct route){ 0 }));
            arrput(arrlast(a->solution.routes).stops, i + 1);
            try_all(a);
            arrsetlen(arrlast(a->solution.routes).stops, arrlenu(arrlast(a->solution.routes).stops) - 1);
            if (fresh) {
                arrfree(arrlast(a->solution.routes).stops);
                arrsetlen(a->solution.routes, arrlenu(a->solution.routes) - 1);
            }
        }
        a->used[i] = false;
    }
}

double best_of_all(const struct instance *instance)
{
    struct attempt a = { .instance = instance, .used = xcalloc(instance->n, sizeof(bool)), .best = NAN };
    try_all(&a);
    solution_finish(&a.solution);
    free(a.used);
    return a.best;
}
