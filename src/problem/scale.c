#include "problem/scale.h"

#include <math.h>
#include <stdlib.h>

#include "util/alloc.h"

// Large enough to mean "more than anything" beside lengths around 1, small enough that a network, which multiplies such
// numbers with each other layer after layer, stays finite in single precision.
#define LARGE 1e9

struct box {
    struct point min, max;
};

static void include(struct box *box, struct point p)
{
    box->min = (struct point){ fmin(box->min.x, p.x), fmin(box->min.y, p.y) };
    box->max = (struct point){ fmax(box->max.x, p.x), fmax(box->max.y, p.y) };
}

static struct box bounds(const struct instance *instance)
{
    struct point start = instance->problem->has_depot ? instance->depot : instance->nodes[0];
    struct box box = { start, start };
    for (uint32_t i = 0; i < instance->n; i++)
        include(&box, instance->nodes[i]);
    return box;
}

static double extent(struct box box)
{
    return fmax(box.max.x - box.min.x, box.max.y - box.min.y);
}

double scale_extent(const struct instance *instance)
{
    return extent(bounds(instance));
}

int64_t scale_demand_unit(const struct instance *instance)
{
    int64_t divisor = instance->capacity;
    for (uint32_t i = 0; i < instance->n && divisor > 1; i++) {
        int64_t other = instance->demand[i];
        while (other) { // Euclid
            int64_t rest = divisor % other;
            divisor = other;
            other = rest;
        }
    }
    return divisor;
}

static float bounded(double value)
{
    return (float)fmin(value, LARGE);
}

static float *column(const struct scaled *scaled, const double *values, double unit)
{
    if (!values)
        return NULL;
    uint32_t first = scaled->problem->has_depot;
    float *out = xcalloc(scaled->N, sizeof *out);
    for (uint32_t i = first; i < scaled->N; i++)
        out[i] = bounded(values[i - first] / unit);
    return out;
}

// The square that the coordinates are taken from.
static void choose_square(struct scaled *scaled, const struct instance *instance)
{
    struct box box = bounds(instance);
    bool inside = box.min.x >= 0 && box.min.y >= 0 && box.max.x <= 1 && box.max.y <= 1;
    scaled->length_unit = 1;
    if (inside && extent(box) >= 0.5)
        return;
    scaled->shift = box.min;
    if (extent(box) > 0)
        scaled->length_unit = extent(box);
}

static void fill_coords(struct scaled *scaled, const struct instance *instance)
{
    uint32_t first = scaled->problem->has_depot;
    scaled->coords = xcalloc(scaled->N, 2 * sizeof *scaled->coords);
    for (uint32_t i = 0; i < scaled->N; i++) {
        struct point p = i < first ? instance->depot : instance->nodes[i - first];
        scaled->coords[2 * i] = (float)((p.x - scaled->shift.x) / scaled->length_unit);
        scaled->coords[2 * i + 1] = (float)((p.y - scaled->shift.y) / scaled->length_unit);
    }
}

static void fill_demand(struct scaled *scaled, const struct instance *instance)
{
    uint32_t first = scaled->problem->has_depot;
    scaled->load_unit = scale_demand_unit(instance);
    scaled->capacity = (uint32_t)(instance->capacity / scaled->load_unit);
    scaled->demand = xcalloc(scaled->N, sizeof *scaled->demand);
    scaled->share = xcalloc(scaled->N, sizeof *scaled->share);
    for (uint32_t i = first; i < scaled->N; i++) {
        scaled->demand[i] = (uint32_t)(instance->demand[i - first] / scaled->load_unit);
        scaled->share[i] = (float)((double)scaled->demand[i] / scaled->capacity);
    }
}

static double prize_unit(const struct instance *instance)
{
    if (instance->min_prize > 0)
        return instance->min_prize;
    double largest = 1;
    for (uint32_t i = 0; instance->prize && i < instance->n; i++)
        largest = fmax(largest, instance->prize[i]);
    return largest;
}

void scaled_init(struct scaled *scaled, const struct instance *instance)
{
    *scaled = (struct scaled){ .problem = instance->problem, .N = instance->n + instance->problem->has_depot };
    choose_square(scaled, instance);
    fill_coords(scaled, instance);
    if (instance->demand)
        fill_demand(scaled, instance);
    scaled->prize_unit = prize_unit(instance);
    scaled->prize = column(scaled, instance->prize, scaled->prize_unit);
    scaled->real_prize = column(scaled, instance->real_prize, scaled->prize_unit);
    scaled->penalty = column(scaled, instance->penalty, scaled->length_unit);
    scaled->min_prize = instance->min_prize > 0 ? 1 : 0;
    // No tour has a leg longer than the square's diagonal, sqrt(2).
    scaled->max_length = (float)fmin(instance->max_length / scaled->length_unit, 1.5 * (scaled->N + 1.0));
}

void scaled_finish(struct scaled *scaled)
{
    free(scaled->coords);
    free(scaled->demand);
    free(scaled->share);
    free(scaled->prize);
    free(scaled->real_prize);
    free(scaled->penalty);
    *scaled = (struct scaled){ 0 };
}
