// The columns of loads. Stores demands as integers, so that loads add up exactly.
//
// Decimals that a power of ten makes whole stay exact. Computed values (0.1 + 0.2, 10 / 3) are rounded to the nearest
// 1e-9 of the capacity; the instance also keeps them as given, for output.
#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "problem/judge.h"
#include "problem/problem.h"
#include "problem/scale.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/error.h"

const struct column load_columns[] = {
    { .key = "demand",
        .unit = UNIT_LOAD,
        .per_node = true,
        .feature = true,
        .at = offsetof(struct instance, demand),
        .scaled_at = offsetof(struct scaled, demand),
        .word = NODE_DEMAND,
        .copy = NODE_SHARE,
        .draw = DRAW_HAS_DEMAND },
    { .key = "capacity",
        .unit = UNIT_LOAD,
        .at = offsetof(struct instance, capacity),
        .scaled_at = offsetof(struct scaled, capacity) },
    { .key = "vehicles",
        .unit = UNIT_COUNT,
        .optional = true,
        .at = offsetof(struct instance, vehicles),
        .scaled_at = offsetof(struct scaled, vehicles) },
    { 0 },
};

// Computes VALUE times SCALE if the decimal written for VALUE makes it whole. Dividing back rounds once, as reading the
// decimal did, so the comparison is exact. False if the value is not a number or too large.
static bool whole(double value, double scale, int64_t *number)
{
    double scaled = nearbyint(value * scale);
    if (!(fabs(scaled) <= DEMAND_MAX) || scaled / scale != value)
        return false;
    *number = (int64_t)scaled;
    return true;
}

// Returns the smallest power of ten from SCALE up that makes VALUE whole, or 0.
static int64_t scale_for(double value, int64_t scale)
{
    int64_t number;
    for (; scale <= DEMAND_MAX; scale *= 10) {
        if (whole(value, (double)scale, &number))
            return scale;
    }
    return 0;
}

// Returns false if no power of ten makes all values whole, or if the loads exceed the 31 bits in which devices count.
static bool set_exact(struct instance *instance, const double *demand, double capacity)
{
    int64_t scale = scale_for(capacity, 1);
    for (uint32_t i = 0; scale && i < instance->n; i++)
        scale = scale_for(demand[i], scale);
    if (!scale || !whole(capacity, (double)scale, &instance->capacity))
        return false;
    int64_t largest = instance->capacity;
    for (uint32_t i = 0; i < instance->n; i++) {
        if (!whole(demand[i], (double)scale, &instance->demand[i]))
            return false;
        largest = instance->demand[i] > largest ? instance->demand[i] : largest;
    }
    instance->demand_scale = (double)scale;
    return instance->capacity < 1 || largest / scale_demand_unit(instance) <= INT32_MAX;
}

// A positive demand never rounds to 0: its customer must be visited.
static int64_t rounded(double units)
{
    double nearest = fabs(units) < 1 ? copysign(ceil(fabs(units)), units) : nearbyint(units);
    return (int64_t)fmax(-INT32_MAX, fmin(nearest, INT32_MAX));
}

static bool set_rounded(struct instance *instance, const double *demand, double capacity)
{
    if (!(capacity >= 1 / VALUE_MAX))
        return instance_fail(
            instance, "capacity", INSTANCE_WIDE, "%.15g is %s", capacity, capacity > 0 ? "too small" : "not positive");
    double largest = 0, levels = DEMAND_LEVELS;
    for (uint32_t i = 0; i < instance->n; i++)
        largest = fmax(largest, demand[i]);
    // In SDVRP a demand may be several loads, which leaves fewer levels for each.
    while (largest / capacity * levels > INT32_MAX && levels > 1e3)
        levels /= 10;
    instance->demand_given = xcalloc(instance->n, sizeof *demand);
    instance->capacity_given = capacity;
    instance->capacity = (int64_t)levels;
    instance->demand_scale = levels / capacity;
    for (uint32_t i = 0; i < instance->n; i++) {
        instance->demand_given[i] = demand[i];
        instance->demand[i] = rounded(demand[i] / capacity * levels);
    }
    return true;
}

static bool check_value(const struct instance *instance, const char *column, uint32_t i, double value)
{
    if (isnan(value))
        return instance_fail(instance, column, i, "is not a number");
    return fabs(value) <= VALUE_MAX || instance_fail(instance, column, i, "%.15g exceeds %g", value, VALUE_MAX);
}

bool instance_set_demands(struct instance *instance, const double *demand, double capacity)
{
    if (!check_value(instance, "capacity", INSTANCE_WIDE, capacity))
        return false;
    for (uint32_t i = 0; i < instance->n; i++) {
        if (!check_value(instance, "demand", i, demand[i]))
            return false;
    }
    return set_exact(instance, demand, capacity) || set_rounded(instance, demand, capacity);
}

int64_t instance_load_rounding(const struct instance *instance)
{
    if (!instance->problem->splits || !instance->demand_given)
        return 0;
    return (int64_t)fmin(instance->n, JUDGE_TOLERANCE * (double)instance->capacity);
}

bool instance_check_vehicles(const struct instance *instance)
{
    int64_t full = 0, rest = 0, capacity = instance->capacity; // whole loads, and what is left over
    for (uint32_t i = 0; i < instance->n; i++) {
        full += instance->demand[i] / capacity;
        rest += instance->demand[i] % capacity;
        full += rest / capacity;
        rest %= capacity;
    }
    double needed = fmax((double)full + (rest > 0), 1);
    if (!instance->vehicles || instance->vehicles >= needed)
        return true;
    return instance_fail(instance, "vehicles", INSTANCE_WIDE,
        "%.15g cannot carry all demands; at least %.15g are needed", instance->vehicles, needed);
}

double instance_demand(const struct instance *instance, uint32_t i)
{
    return instance->demand_given ? instance->demand_given[i] : (double)instance->demand[i] / instance->demand_scale;
}

double instance_capacity(const struct instance *instance)
{
    return instance->demand_given ? instance->capacity_given : (double)instance->capacity / instance->demand_scale;
}

// The amount that a customer has received so far.
struct served {
    int64_t units;
    double given; // the same in the user's units
};

// Parts of a rounded demand are multiples of its last bit, so that all sums are exact; the last part is the remainder.
static double part(const struct instance *instance, uint32_t i, int64_t units, struct served *served)
{
    double demand = instance_demand(instance, i), value = (double)units / instance->demand_scale;
    if (!instance->demand_given)
        return value;
    served->units += units;
    if (units && served->units == instance->demand[i]) {
        value = demand - served->given;
    } else if (demand > 0) {
        double bit = nextafter(demand, INFINITY) - demand;
        value = nearbyint(value / bit) * bit;
    }
    served->given += value;
    return value;
}

double *solution_amounts(const struct instance *instance, const struct solution *solution)
{
    struct served *served = xcalloc(instance->n, sizeof *served);
    double *amounts = NULL;
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        const struct route *route = &solution->routes[r];
        for (ptrdiff_t s = 0; s < arrlen(route->amounts); s++) {
            uint32_t i = route->stops[s] - 1;
            bool exists = instance_has_stop(instance, route->stops[s]);
            arrput(amounts, exists ? part(instance, i, route->amounts[s], &served[i]) : 0);
        }
    }
    free(served);
    return amounts;
}

// Rounds sums instead of parts, so that the parts of a demand also add up to it in units.
static int64_t units_of(const struct instance *instance, uint32_t i, double amount, struct served *served)
{
    const double close = 1e-12; // larger than the rounding errors of the sums
    double demand = instance->demand_given[i];
    served->given += amount;
    int64_t units =
        fabs(served->given - demand) <= close * demand
            ? instance->demand[i]
            : (int64_t)fmax(-DEMAND_MAX, fmin(nearbyint(served->given * instance->demand_scale), DEMAND_MAX));
    int64_t more = units - served->units;
    served->units = units;
    return more;
}

bool solution_set_amounts(const struct instance *instance, struct solution *solution, const double *amounts)
{
    struct served *served = xcalloc(instance->n, sizeof *served);
    bool ok = true;
    size_t next = 0;
    for (size_t r = 0; ok && r < arrlenu(solution->routes); r++) {
        struct route *route = &solution->routes[r];
        for (size_t s = 0; ok && s < arrlenu(route->stops); s++, next++) {
            uint32_t stop = route->stops[s];
            int64_t units = 0;
            if (!instance->demand_given)
                ok = whole(amounts[next], instance->demand_scale, &units) ||
                     fail(FAULT_INPUT, "/%zu/%zu: %.15g is not a multiple of the demands' smallest unit, %.15g", r, s,
                         amounts[next], 1 / instance->demand_scale);
            else if (instance_has_stop(instance, stop))
                units = units_of(instance, stop - 1, amounts[next], &served[stop - 1]);
            arrput(route->amounts, units);
        }
    }
    free(served);
    return ok;
}
