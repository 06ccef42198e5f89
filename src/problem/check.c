// Checks that apply to instances of every problem, and warnings about unusual values.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/ids.h"
#include "problem/metric.h"
#include "problem/scale.h"
#include "util/alloc.h"

static bool check_point(const struct instance *instance, const char *column, uint32_t i, struct point point)
{
    double largest = fmax(fabs(point.x), fabs(point.y));
    if (isnan(point.x) || isnan(point.y))
        return instance_fail(instance, column, i, "coordinate is not a number");
    if (!(largest <= VALUE_MAX))
        return instance_fail(instance, column, i, "coordinate %g exceeds %g", largest, VALUE_MAX);
    bool degrees = instance->coordinates == COORDINATES_LONLAT;
    if (degrees && (fabs(point.x) > 180 || fabs(point.y) > 90))
        return instance_fail(instance, column, i,
            "[%.10g, %.10g] is no longitude from -180 to 180 with a latitude from -90 to 90", point.x, point.y);
    return true;
}

static bool check_points(const struct instance *instance)
{
    if (instance->coordinates == COORDINATES_NONE)
        return true;
    if (instance->problem->has_depot && !check_point(instance, "depot", INSTANCE_WIDE, instance->depot))
        return false;
    for (uint32_t i = 0; i < instance->n; i++) {
        if (!check_point(instance, "nodes", i, instance->nodes[i]))
            return false;
    }
    return true;
}

static bool check_distances(const struct instance *instance)
{
    const uint32_t N = instance_nodes(instance);
    if (instance->distances && instance->n > INSTANCE_DISTANCES_MAX)
        return instance_fail(instance, "distances", INSTANCE_WIDE, "%u nodes; a matrix is read for up to %d",
            instance->n, INSTANCE_DISTANCES_MAX);
    for (uint32_t v = 0; instance->distances && v < N; v++) {
        for (uint32_t w = 0; w < N; w++) {
            double d = instance->distances[(size_t)v * N + w];
            if (!(d >= 0 && d <= VALUE_MAX))
                return instance_fail(instance, "distances", INSTANCE_WIDE,
                    "%.15g, from node %u to node %u of the matrix, is negative, no number or beyond %g", d, v + 1,
                    w + 1, VALUE_MAX);
        }
    }
    return instance->distances || instance->coordinates != COORDINATES_NONE ||
           instance_fail(instance, "nodes", INSTANCE_WIDE, "neither coordinates nor distances are given");
}

static bool check_value(const struct instance *instance, const char *column, uint32_t i, double value)
{
    if (!(value >= 0))
        return instance_fail(instance, column, i, "%.15g is negative or not a number", value);
    if (!(value <= VALUE_MAX))
        return instance_fail(instance, column, i, "%g exceeds %g", value, VALUE_MAX);
    return true;
}

static bool check_whole(const struct instance *instance, const struct column *column, double value)
{
    if (value != floor(value) || value > INT32_MAX)
        return instance_fail(instance, column->key, INSTANCE_WIDE, "%.15g is not a whole number from 1 up", value);
    if (column->unit == UNIT_NODE && value > instance->n)
        return instance_fail(
            instance, column->key, INSTANCE_WIDE, "there is no node %.15g, only 1 to %u", value, instance->n);
    return true;
}

static bool check_column(const struct instance *instance, const struct column *column)
{
    const double *values = instance_values(instance, column);
    bool whole = column->unit == UNIT_COUNT || column->unit == UNIT_NODE;
    if (!column->per_node)
        return check_value(instance, column->key, INSTANCE_WIDE, *values) &&
               (!whole || check_whole(instance, column, *values));
    for (uint32_t i = 0; i < instance->n; i++) {
        if (!check_value(instance, column->key, i, values[i]))
            return false;
    }
    return true;
}

static bool check_demands(const struct instance *instance)
{
    const int64_t *demand = instance->demand, capacity = instance->capacity;
    if (!demand)
        return true;
    double scale = instance->demand_scale;
    if (capacity < 1)
        return instance_fail(
            instance, "capacity", INSTANCE_WIDE, "must be positive, not %.15g", (double)capacity / scale);
    if (capacity > DEMAND_MAX)
        return instance_fail(
            instance, "capacity", INSTANCE_WIDE, "%.15g exceeds %g", (double)capacity / scale, DEMAND_MAX / scale);
    for (uint32_t i = 0; i < instance->n; i++) {
        if (demand[i] < 0)
            return instance_fail(instance, "demand", i, "must not be negative: %.15g", instance_demand(instance, i));
        if (demand[i] > DEMAND_MAX)
            return instance_fail(
                instance, "demand", i, "%.15g exceeds %g", (double)demand[i] / scale, DEMAND_MAX / scale);
    }
    // Devices count loads in 31 bits. Dividing all values by their common divisor changes nothing and leaves more room.
    int64_t unit = scale_demand_unit(instance), largest = capacity;
    for (uint32_t i = 0; i < instance->n; i++)
        largest = demand[i] > largest ? demand[i] : largest;
    if (largest / unit > INT32_MAX)
        return instance_fail(instance, "capacity", INSTANCE_WIDE,
            "demands and capacity need %lld load levels; the limit is %d", (long long)(largest / unit), INT32_MAX);
    return true;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Warns when equal parts of the capacity, such as six sixths, exceed it after rounding.
static void warn_of_rounding(struct instance *instance)
{
    uint32_t n = instance->n;
    int64_t *sorted = xcalloc(n, sizeof *sorted), capacity = instance->capacity;
    memcpy(sorted, instance->demand, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_size);
    for (uint32_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && sorted[next] == sorted[i];)
            next++;
        int64_t parts = sorted[i] ? (capacity + sorted[i] / 2) / sorted[i] : 0, above = parts * sorted[i] - capacity;
        if (parts <= next - i && above > 0 && above <= n) {
            instance_warn(instance,
                "%lld demands of %.9g exceed the capacity after rounding; demands are rounded to the nearest %g of the "
                "capacity",
                (long long)parts, (double)sorted[i] / instance->demand_scale, 1 / DEMAND_LEVELS);
            break;
        }
    }
    free(sorted);
}

// Returns whether every node is within 1e-9 of the extent from one line.
static bool on_a_line(const struct instance *instance, double extent)
{
    const uint32_t N = instance_nodes(instance);
    struct point base = instance_position(instance, instance_node(instance, 0)), far = base;
    double distance = 0;
    for (uint32_t v = 0; v < N; v++) {
        struct point p = instance_position(instance, v);
        double d = hypot((p.x - base.x) / extent, (p.y - base.y) / extent);
        if (d > distance) {
            distance = d;
            far = p;
        }
    }
    double ux = (far.x - base.x) / extent / distance, uy = (far.y - base.y) / extent / distance;
    for (uint32_t v = 0; v < N; v++) {
        struct point p = instance_position(instance, v);
        if (fabs((p.x - base.x) / extent * uy - (p.y - base.y) / extent * ux) > 1e-9)
            return false;
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Returns the median of x or y.
static double median(const struct instance *instance, uint32_t count, bool of_y)
{
    double *list = xcalloc(count, sizeof *list);
    for (uint32_t k = 0; k < count; k++)
        list[k] = of_y ? instance_position(instance, k).y : instance_position(instance, k).x;
    qsort(list, count, sizeof *list, by_value);
    double middle = list[count / 2];
    free(list);
    return middle;
}

// Coordinates are scaled by the extent, so a few distant nodes squeeze all others together.
static void warn_of_crowd(struct instance *instance, double extent)
{
    const double near = 0.02;
    uint32_t count = instance->n + instance->problem->has_depot, far = 0, last = 0;
    const uint32_t few = count < 40 ? 1 : count / 20;
    struct point middle = { median(instance, count, false), median(instance, count, true) };
    for (uint32_t k = 0; k < count; k++) {
        struct point p = instance_position(instance, k);
        if (fmax(fabs(p.x - middle.x), fabs(p.y - middle.y)) > near * extent) {
            far++;
            last = k;
        }
    }
    if (count < 5 || far > few)
        return;
    if (far > 1 || last > 0 || !scale_has_far_depot(instance)) // a far depot alone does no harm
        instance_warn(instance, "%u of %u nodes %s so far away that the model can hardly distinguish the others", far,
            count, far == 1 ? "is" : "are");
}

static bool has_four_decimals(double value)
{
    return nearbyint(value * 1e3) / 1e3 != value;
}

// Degrees are not plane coordinates. File formats with a metric of their own declare their coordinates.
static void warn_of_degrees(struct instance *instance)
{
    uint32_t count = instance->n + instance->problem->has_depot, fine = 0;
    struct point min = instance_position(instance, 0), max = min;
    for (uint32_t k = 0; k < count; k++) {
        struct point p = instance_position(instance, k);
        min = (struct point){ fmin(min.x, p.x), fmin(min.y, p.y) };
        max = (struct point){ fmax(max.x, p.x), fmax(max.y, p.y) };
        fine += has_four_decimals(p.x) + has_four_decimals(p.y);
    }
    double x = fmax(-min.x, max.x), y = fmax(-min.y, max.y);
    bool in_range = fmax(x, y) <= 180 && fmin(x, y) <= 90;
    bool in_unit_square = fmin(min.x, min.y) >= 0 && fmax(max.x, max.y) <= 1;
    bool near = fmax(max.x - min.x, max.y - min.y) < 20;
    bool plane = instance->metric == METRIC_EUCLID && instance->coordinates == COORDINATES_PLANE;
    if (plane && !instance->distances && in_range && !in_unit_square && near && fine > count)
        instance_warn(instance, "the coordinates look like degrees and are used as x and y on a plane; with "
                                "\"coordinates\": \"lonlat\" lengths are kilometres");
}

static void warn_of_shape(struct instance *instance)
{
    double extent = scale_extent(instance);
    if (instance->n <= 3)
        instance_warn(instance, "only %u node%s", instance->n, instance->n == 1 ? "" : "s");
    if (extent == 0) {
        if (instance->n > 1 || instance->problem->has_depot)
            instance_warn(instance, "all nodes have the same coordinates");
        return;
    }
    if (extent < 1e-9 || extent > 1e12)
        instance_warn(instance, "coordinates span %g; they are scaled to the unit square", extent);
    if (instance->n > 3 && on_a_line(instance, extent))
        instance_warn(instance, "all nodes are on a line");
    warn_of_crowd(instance, extent);
    warn_of_degrees(instance);
}

bool instance_check(struct instance *instance)
{
    if (instance->n == 0)
        return instance_fail(instance, "nodes", INSTANCE_WIDE, "has no nodes");
    if (!check_points(instance) || !check_distances(instance))
        return false;
    instance_project(instance);
    if (instance->coordinates == COORDINATES_LONLAT && !instance->distances && instance->n > INSTANCE_DISTANCES_MAX)
        instance_warn(instance,
            "beyond %d nodes the network compares routes by their lengths on a plane; objective, limits and "
            "improvement use great circles",
            INSTANCE_DISTANCES_MAX);
    if (instance->coordinates == COORDINATES_NONE)
        instance_warn(instance, "only distances are given: the network sees a plane on which they are alike");
    FOR_COLUMNS(column, instance->problem)
    {
        if (column->unit != UNIT_LOAD && !check_column(instance, column))
            return false;
    }
    if (!check_demands(instance) || !ids_check(instance))
        return false;
    warn_of_shape(instance);
    if (instance->demand_given)
        warn_of_rounding(instance);
    return !instance->problem->check || instance->problem->check(instance);
}
