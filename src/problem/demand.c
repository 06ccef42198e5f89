// Demands as whole numbers, so that loads add up exactly.
#include <math.h>

#include "problem/problem.h"

// VALUE times SCALE as a whole number, when the decimal that was written for VALUE is one. Dividing back rounds once,
// just as reading the decimal did, so equality is exact. False for what is not a number or too large.
static bool whole(double value, double scale, int64_t *number)
{
    double scaled = nearbyint(value * scale);
    if (!(fabs(scaled) <= DEMAND_MAX) || scaled / scale != value)
        return false;
    *number = (int64_t)scaled;
    return true;
}

// The smallest power of ten from SCALE up that makes VALUE whole, or 0.
static int64_t scale_for(double value, int64_t scale)
{
    int64_t number;
    for (; scale <= DEMAND_MAX; scale *= 10) {
        if (whole(value, (double)scale, &number))
            return scale;
    }
    return 0;
}

static bool refuse(const struct instance *instance, const char *column, uint32_t i, double value)
{
    if (fabs(value) > DEMAND_MAX)
        return instance_fail(instance, column, i, "%.15g is beyond %g", value, (double)DEMAND_MAX);
    return instance_fail(instance, column, i, "%.17g is not exact in decimals that can be counted", value);
}

bool instance_set_demands(struct instance *instance, const double *demand, double capacity)
{
    int64_t scale = scale_for(capacity, 1);
    if (!scale)
        return refuse(instance, "capacity", INSTANCE_WIDE, capacity);
    for (uint32_t i = 0; i < instance->n; i++) {
        int64_t wider = scale_for(demand[i], scale);
        if (!wider)
            return refuse(instance, "demand", i, demand[i]);
        scale = wider;
    }
    instance->demand_scale = scale;
    if (!whole(capacity, (double)scale, &instance->capacity))
        return refuse(instance, "capacity", INSTANCE_WIDE, capacity);
    for (uint32_t i = 0; i < instance->n; i++) {
        if (!whole(demand[i], (double)scale, &instance->demand[i]))
            return refuse(instance, "demand", i, demand[i]);
    }
    return true;
}
