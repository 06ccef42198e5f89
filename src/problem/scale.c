#include "problem/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/metric.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/divide.h"

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
    struct point first = instance_position(instance, instance_node(instance, 0));
    struct box box = { first, first };
    for (uint32_t i = 1; i < instance->n; i++)
        include(&box, instance_position(instance, instance_node(instance, i)));
    return box;
}

static struct box bounds(const struct instance *instance)
{
    struct box box = customer_bounds(instance);
    if (instance->problem->has_depot)
        include(&box, instance_position(instance, 0));
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
    scaled->coords = xcalloc(scaled->N, 2 * sizeof *scaled->coords);
    for (uint32_t i = 0; i < scaled->N; i++) {
        struct point p = instance_position(instance, i);
        scaled->coords[2 * i] = (float)((p.x - scaled->shift.x) / scaled->length_unit);
        scaled->coords[2 * i + 1] = (float)((p.y - scaled->shift.y) / scaled->length_unit);
    }
}

// The unit in which distances are as long as on the plane, in the mean over all pairs that are not 0 on either; a far
// depot is not where it is seen. Call with coordinates.
static void fit_unit(struct scaled *scaled, const struct instance *instance)
{
    double there = 0, seen = 0;
    for (uint32_t i = scale_has_far_depot(instance); i < scaled->N; i++) {
        for (uint32_t j = scale_has_far_depot(instance); j < scaled->N; j++) {
            there += instance_distance(instance, i, j);
            seen += hypot((double)scaled->coords[2 * i] - scaled->coords[2 * j],
                (double)scaled->coords[2 * i + 1] - scaled->coords[2 * j + 1]);
        }
    }
    if (there > 0)
        scaled->length_unit = seen > 0 ? there / seen : there / scaled->N / scaled->N;
}

// Returns the distance between the depot and a customer: the mean of both directions, unless routes are open.
static double depot_distance(const struct instance *instance, uint32_t v)
{
    double there = instance_distance(instance, 0, v);
    return instance->open ? there : (there + instance_distance(instance, v, 0)) / 2;
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
    for (uint32_t i = 1; i < scaled->N; i++) {
        double back = instance->open ? INFINITY : instance_distance(instance, i, 0);
        nearest = fmin(nearest, fmin(instance_distance(instance, 0, i), back));
    }
    double left_out = fmax(0, nearest / scaled->length_unit - FAR_MAX);
    for (uint32_t i = 1; i < scaled->N; i++) {
        double home = depot_distance(instance, i) / scaled->length_unit - left_out;
        double seen = hypot((double)scaled->coords[2 * i] - depot[0], (double)scaled->coords[2 * i + 1] - depot[1]);
        scaled->home[i] = (float)home;
        nearer += (home - seen) / instance->n;
    }
    scaled->home[0] = (float)fmax(0, nearer);
    return left_out;
}

// Returns the longest leg, 0 without a matrix.
static double fill_legs(struct scaled *scaled, const struct instance *instance, double left_out)
{
    const uint32_t N = scaled->N;
    double longest = 0;
    if (!instance->distances && (instance->coordinates != COORDINATES_LONLAT || instance->n > INSTANCE_DISTANCES_MAX))
        return 0;
    scaled->legs = xcalloc((size_t)N * N, sizeof *scaled->legs);
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t j = 0; j < N; j++) {
            bool home = scaled->home && i != j && (i == 0 || j == 0);
            double length = instance_distance(instance, i, j) / scaled->length_unit - (home ? left_out : 0);
            scaled->legs[(size_t)i * N + j] = (float)fmin(fmax(length, 0), LARGE);
            longest = fmax(longest, length);
        }
    }
    return longest;
}

// Returns the max ratio of a distance on the globe to that on the plane: nearer to the equator degrees are wider.
static double stretch(const struct scaled *scaled, const struct instance *instance)
{
    if (scaled->legs || instance->coordinates != COORDINATES_LONLAT)
        return 1;
    const double degree = 3.14159265358979323846 / 180;
    double south = instance->nodes[0].y, north = south;
    for (uint32_t i = 0; i <= instance->n; i++) {
        double y = i ? instance->nodes[i - 1].y : instance->problem->has_depot ? instance->depot.y : south;
        south = fmin(south, y), north = fmax(north, y);
    }
    double nearest = south <= 0 && north >= 0 ? 0 : fmin(fabs(south), fabs(north));
    return cos(nearest * degree) / fmax(1e-9, cos((south + north) / 2 * degree));
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
    double largest = 1, limit = 0;
    bool first = true;
    FOR_COLUMNS(column, instance->problem)
    {
        const double *values = instance_values(instance, column);
        if (column->unit != UNIT_PRIZE)
            continue;
        for (uint32_t i = 0; column->per_node && first && i < instance->n; i++)
            largest = fmax(largest, values[i]);
        first = first && !column->per_node;
        limit = column->per_node ? limit : *values;
    }
    return limit > 0 ? limit : largest;
}

// The load that limited vehicles can carry beyond all demands, capped to 32 bits.
static uint32_t spare_load(const struct scaled *scaled)
{
    int64_t spare = (int64_t)scaled->vehicles * scaled->capacity;
    for (uint32_t v = 0; v < scaled->N; v++)
        spare -= scaled->demand[v];
    return (uint32_t)(spare < 0 ? 0 : spare < UINT32_MAX ? spare : UINT32_MAX - 1);
}

static void set_options(struct scaled *scaled, const struct instance *instance)
{
    const bool open = instance_is_open(instance), depot = scaled->problem->has_depot;
    if (scaled->start == scaled->end)
        scaled->end = 0; // a closed tour
    if (scaled->vehicles && scaled->demand)
        scaled->spare = spare_load(scaled);
    scaled->options = (scaled->legs ? RULES_LEGS : 0) | (open && depot ? RULES_OPEN : 0) |
                      (open && !depot ? RULES_PATH : 0) | (scaled->vehicles ? RULES_FLEET : 0) |
                      (scaled->start || scaled->end ? RULES_ENDS : 0);
}

static double unit_of(const struct scaled *scaled, enum unit unit)
{
    return unit == UNIT_LENGTH ? scaled->length_unit : unit == UNIT_PRIZE ? scaled->prize_unit : 1;
}

// Inputs of a limit on lengths.
struct lengths {
    double left_out; // of each leg from and to the depot
    double home;     // the longest of these legs without it
    double longest;  // of the other legs
    double stretch;  // their max ratio to distances on the plane
};

// A limit on lengths bounds a tour, which has a leg from the depot and, unless it is open, one to it.
static void fill_column(
    struct scaled *scaled, const struct instance *instance, const struct column *column, const struct lengths *lengths)
{
    const double *values = instance_values(instance, column), unit = unit_of(scaled, column->unit);
    const uint32_t first = scaled->problem->has_depot;
    char *member = (char *)scaled + column->scaled_at;
    if (column->unit == UNIT_COUNT || column->unit == UNIT_NODE) {
        *(uint32_t *)member = (uint32_t)*values;
        return;
    }
    if (!column->per_node) {
        // Legs are at most the diagonal of the square, sqrt(2), except from and to a far depot.
        bool length = column->unit == UNIT_LENGTH;
        const int legs = instance->open ? 1 : 2;
        double value = *values / unit;
        if (length)
            value = fmax(0, value / lengths->stretch - legs * lengths->left_out);
        *(float *)member =
            (float)fmin(value, length ? lengths->longest * (scaled->N + 1.0) + 2 * lengths->home : LARGE);
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
    if (instance->distances)
        fit_unit(scaled, instance);
    struct lengths lengths = { .left_out = scale_has_far_depot(instance) ? move_depot(scaled, instance) : 0 };
    for (uint32_t i = 1; scaled->home && i < scaled->N; i++)
        lengths.home = fmax(lengths.home, scaled->home[i]);
    lengths.longest = fmax(1.5, fill_legs(scaled, instance, lengths.left_out));
    lengths.stretch = stretch(scaled, instance);
    if (instance->demand)
        fill_demand(scaled, instance);
    scaled->prize_unit = prize_unit(instance);
    FOR_COLUMNS(column, instance->problem)
    {
        if (column->unit != UNIT_LOAD)
            fill_column(scaled, instance, column, &lengths);
    }
    set_options(scaled, instance);
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

uint32_t scaled_shortest(const struct scaled *scaled)
{
    const struct problem *problem = scaled->problem;
    uint64_t visits = 0, load = 0;
    if (!problem->has_depot)
        return scaled->N;
    if (!problem->many_routes)
        return 1;
    for (uint32_t v = 1; v < scaled->N; v++) {
        visits += !problem->splits || scaled->demand[v];
        load += scaled->demand[v];
    }
    const uint64_t routes = divide_up(load, scaled->capacity);
    return (uint32_t)(visits + (routes ? routes : 1));
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
    free(scaled->legs);
    for (size_t k = 0; k < EXTRA_COLUMNS; k++)
        free(scaled->extra[k]);
    *scaled = (struct scaled){ 0 };
}
