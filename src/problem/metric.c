#include "problem/metric.h"

#include <math.h>

#include "util/error.h"

static double nearest(double x) // TSPLIB's nint() for non-negative values
{
    return floor(x + 0.5);
}

// The square root of the exact sum, as the formats define it: hypot() may be one ulp above an integer distance, which
// rounding up would expose.
static double root(double dx, double dy, double divisor)
{
    return sqrt((dx * dx + dy * dy) / divisor);
}

// The pseudo-Euclidean distance.
static double att(double dx, double dy)
{
    double exact = root(dx, dy, 10), rounded = nearest(exact);
    return rounded < exact ? rounded + 1 : rounded;
}

// TSPLIB writes degrees.minutes and uses this value of pi; its published lengths depend on both.
static double radians(double degrees_minutes)
{
    double degrees = trunc(degrees_minutes);
    return 3.141592 * (degrees + 5.0 * (degrees_minutes - degrees) / 3.0) / 180.0;
}

// Returns kilometres on a sphere between (latitude, longitude) pairs. Coincident nodes have distance 1, as in TSPLIB.
static double geo(struct point a, struct point b)
{
    double latitude_a = radians(a.x), latitude_b = radians(b.x);
    double q1 = cos(radians(a.y) - radians(b.y));
    double q2 = cos(latitude_a - latitude_b);
    double q3 = cos(latitude_a + latitude_b);
    double cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);
    return floor(6378.388 * acos(fmax(-1.0, fmin(1.0, cosine))) + 1.0);
}

double metric_distance(enum metric metric, struct point a, struct point b)
{
    double dx = a.x - b.x, dy = a.y - b.y;
    switch (metric) {
    case METRIC_EUCLID:
        return hypot(dx, dy);
    case METRIC_EUC_2D:
        return nearest(root(dx, dy, 1));
    case METRIC_CEIL_2D:
        return ceil(root(dx, dy, 1));
    case METRIC_ATT:
        return att(dx, dy);
    case METRIC_GEO:
        return geo(a, b);
    }
    bug("unknown metric %d", (int)metric);
}

const char *metric_name(enum metric metric)
{
    static const char *const names[] = {
        [METRIC_EUCLID] = "EUCLID",
        [METRIC_EUC_2D] = "EUC_2D",
        [METRIC_CEIL_2D] = "CEIL_2D",
        [METRIC_ATT] = "ATT",
        [METRIC_GEO] = "GEO",
    };
    return names[metric];
}
