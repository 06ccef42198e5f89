#include "problem/scale.h"

#include <math.h>
#include <stdlib.h>

#include "problem/metric.h"
#include "util/alloc.h"

// Large enough to mean "more than anything" beside lengths around 1, small enough that a network, which multiplies such
// numbers with each other layer after layer, stays finite in single precision.
#define LARGE 1e9

// A depot is far when the customers' extent is below this share of the whole one. So few customers are not squeezed,
// but near each other by chance.
#define FAR_SHARE     0.4
#define FAR_CUSTOMERS 4
#define FAR_MOST      1e4  // in units of the customers' extent
#define FAR_RATIO     1e12 // beyond it not even double precision tells the customers apart

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

bool scale_has_far_depot(const struct instance *instance)
{
    if (!instance->problem->has_depot || instance->n < FAR_CUSTOMERS)
        return false;
    double among = extent(customer_bounds(instance)), all = extent(bounds(instance));
    return among < FAR_SHARE * all && among > all / FAR_RATIO;
}

// The square that the coordinates are taken from.
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

// Returns what is left out of each way from and to the depot. Beyond FAR_MOST single precision would lose the customers
// again; by the same length left out of every way the customers still differ as they do.
static double move_depot(struct scaled *scaled, const struct instance *instance)
{
    float *depot = scaled->coords;
    depot[0] = fminf(fmaxf(depot[0], 0), 1);
    depot[1] = fminf(fmaxf(depot[1], 0), 1);
    scaled->home = xcalloc(scaled->N, sizeof *scaled->home);
    double nearest = INFINITY, nearer = 0;
    for (uint32_t i = 0; i < instance->n; i++)
        nearest = fmin(nearest, metric_distance(METRIC_EUCLID, instance->depot, instance->nodes[i]));
    double left_out = fmax(0, nearest / scaled->length_unit - FAR_MOST);
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
    double left_out = scale_has_far_depot(instance) ? move_depot(scaled, instance) : 0, home = 0;
    for (uint32_t i = 1; scaled->home && i < scaled->N; i++)
        home = fmax(home, scaled->home[i]);
    if (instance->demand)
        fill_demand(scaled, instance);
    scaled->prize_unit = prize_unit(instance);
    scaled->prize = column(scaled, instance->prize, scaled->prize_unit);
    scaled->real_prize = column(scaled, instance->real_prize, scaled->prize_unit);
    scaled->penalty = column(scaled, instance->penalty, scaled->length_unit);
    scaled->min_prize = instance->min_prize > 0 ? 1 : 0;
    // No tour has a leg longer than the square's diagonal, sqrt(2), but from and to a far depot.
    double limit = fmax(0, instance->max_length / scaled->length_unit - 2 * left_out);
    scaled->max_length = (float)fmin(limit, 1.5 * (scaled->N + 1.0) + 2 * home);
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
    *scaled = (struct scaled){ 0 };
}
