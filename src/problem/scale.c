#include "problem/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/metric.h"
#include "util/alloc.h"

// Larger than any length, which is around 1, but small enough that the products of a network's layers stay finite in
// single precision.
#define LARGE 1e9

// A depot is far if the customers' extent is below this share of the total extent. Fewer customers than FAR_CUSTOMERS
// may be close together by chance.
#define FAR_SHARE     0.4
#define FAR_CUSTOMERS 4
#define FAR_MAX       1e4  // in units of the customers' extent
#define FAR_RATIO     1e12 // beyond it even double precision cannot distinguish the customers

struct box {
    struct point min, max;
};

static void include(struct box *box, struct point p)
{
    box->min = (struct point){ fmin(box->min.x, p.x), fmin(box->min.y, p.y) };
    box->max = (struct point){ fmax(box->max.x, p.x), fmax(box->max.y, p.y) };
}

static struct box customer_bounds(const struct instance *instance)
{
    struct box box = { instance->nodes[0], instance->nodes[0] };
    for (uint32_t i = 1; i < instance->n; i++)
        include(&box, instance->nodes[i]);
    return box;
}

static struct box bounds(const struct instance *instance)
{
    struct box box = customer_bounds(instance);
    if (instance->problem->has_depot)
        include(&box, instance->depot);
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
        while (other) { // Euclid's algorithm
            int64_t rest = divisor % other;
            divisor = other;
            other = rest;
        }
    }
    return divisor;
}

bool scale_has_far_depot(const struct instance *instance)
{
    if (!instance->problem->has_depot || instance->n < FAR_CUSTOMERS)
        return false;
    double among = extent(customer_bounds(instance)), all = extent(bounds(instance));
    return among < FAR_SHARE * all && among > all / FAR_RATIO;
}

// Finds the square that becomes the unit square.
static void choose_square(struct scaled *scaled, const struct instance *instance)
{
    bool far = scale_has_far_depot(instance);
    struct box box = far ? customer_bounds(instance) : bounds(instance);
    bool inside = box.min.x >= 0 && box.min.y >= 0 && box.max.x <= 1 && box.max.y <= 1;
    scaled->length_unit = 1;
    if (inside && extent(box) >= 0.5 && !far)
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

// Returns the length that is subtracted from every leg from and to the depot. Beyond FAR_MAX, single precision would
// lose the differences between customers; subtracting the same length from all legs preserves them.
static double move_depot(struct scaled *scaled, const struct instance *instance)
{
    float *depot = scaled->coords;
    depot[0] = fminf(fmaxf(depot[0], 0), 1);
    depot[1] = fminf(fmaxf(depot[1], 0), 1);
    scaled->home = xcalloc(scaled->N, sizeof *scaled->home);
    double nearest = INFINITY, nearer = 0;
    for (uint32_t i = 0; i < instance->n; i++)
        nearest = fmin(nearest, metric_distance(METRIC_EUCLID, instance->depot, instance->nodes[i]));
    double left_out = fmax(0, nearest / scaled->length_unit - FAR_MAX);
    for (uint32_t i = 1; i < scaled->N; i++) {
        double distance = metric_distance(METRIC_EUCLID, instance->depot, instance->nodes[i - 1]);
        double home = distance / scaled->length_unit - left_out;
        double seen = hypot((double)scaled->coords[2 * i] - depot[0], (double)scaled->coords[2 * i + 1] - depot[1]);
        scaled->home[i] = (float)home;
        nearer += (home - seen) / instance->n;
    }
    scaled->home[0] = (float)fmax(0, nearer);
    return left_out;
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

// Returns the min prize if there is one, else the largest prize if it exceeds 1.
static double prize_unit(const struct instance *instance)
{
    double largest = 1, least = 0;
    bool first = true;
    FOR_COLUMNS(column, instance->problem)
    {
        const double *values = instance_values(instance, column);
        if (column->unit != UNIT_PRIZE)
            continue;
        for (uint32_t i = 0; column->per_node && first && i < instance->n; i++)
            largest = fmax(largest, values[i]);
        first = first && !column->per_node;
        least = column->per_node ? least : *values;
    }
    return least > 0 ? least : largest;
}

static double unit_of(const struct scaled *scaled, enum unit unit)
{
    return unit == UNIT_LENGTH ? scaled->length_unit : unit == UNIT_PRIZE ? scaled->prize_unit : 1;
}

// A length limit bounds a tour with one leg from the depot and one to it. LEFT_OUT is subtracted from both; HOME is the
// longest remaining one.
static void fill_column(
    struct scaled *scaled, const struct instance *instance, const struct column *column, double left_out, double home)
{
    const double *values = instance_values(instance, column), unit = unit_of(scaled, column->unit);
    const uint32_t first = scaled->problem->has_depot;
    char *member = (char *)scaled + column->scaled_at;
    if (!column->per_node) {
        // Legs are at most the diagonal of the square, sqrt(2), except from and to a far depot.
        bool length = column->unit == UNIT_LENGTH;
        double value = length ? fmax(0, *values / unit - 2 * left_out) : *values / unit;
        *(float *)member = (float)fmin(value, length ? 1.5 * (scaled->N + 1.0) + 2 * home : LARGE);
        return;
    }
    float *out = *(float **)member = xcalloc(scaled->N, sizeof *out);
    for (uint32_t i = first; i < scaled->N; i++)
        out[i] = (float)fmin(values[i - first] / unit, LARGE);
}

void scaled_init(struct scaled *scaled, const struct instance *instance)
{
    *scaled = (struct scaled){ .problem = instance->problem, .N = instance->n + instance->problem->has_depot };
    choose_square(scaled, instance);
    fill_coords(scaled, instance);
    double left_out = scale_has_far_depot(instance) ? move_depot(scaled, instance) : 0, home = 0;
    for (uint32_t i = 1; scaled->home && i < scaled->N; i++)
        home = fmax(home, scaled->home[i]);
    if (instance->demand)
        fill_demand(scaled, instance);
    scaled->prize_unit = prize_unit(instance);
    FOR_COLUMNS(column, instance->problem)
    {
        if (column->unit != UNIT_LOAD)
            fill_column(scaled, instance, column, left_out, home);
    }
}

uint32_t scaled_word(const struct scaled *scaled, const struct column *column, uint32_t i)
{
    uint32_t word;
    const char *member = (const char *)scaled + column->scaled_at;
    memcpy(&word, column->per_node ? *(const char *const *)member + sizeof word * i : member, sizeof word);
    return word;
}

uint32_t scaled_longest(const struct scaled *scaled)
{
    uint64_t steps = scaled->N, load = 0; // one visit each, and the return
    if (scaled->problem->many_routes)
        steps *= 2; // at worst a return follows every visit
    for (uint32_t v = 0; scaled->problem->splits && v < scaled->N; v++)
        load += scaled->demand[v];
    if (load)
        steps += 2 * (load / scaled->capacity); // every load may need one visit more
    return steps > UINT32_MAX ? UINT32_MAX : (uint32_t)steps;
}

void scaled_finish(struct scaled *scaled)
{
    free(scaled->coords);
    free(scaled->demand);
    free(scaled->share);
    free(scaled->prize);
    free(scaled->real_prize);
    free(scaled->penalty);
    free(scaled->home);
    for (size_t k = 0; k < EXTRA_COLUMNS; k++)
        free(scaled->extra[k]);
    *scaled = (struct scaled){ 0 };
}
