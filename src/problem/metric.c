#include "problem/metric.h"

#include <math.h>

#include "problem/embed.h"
#include "util/alloc.h"
#include "util/error.h"

static const double pi = 3.14159265358979323846, earth_km = 6371.0088;

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

double great_circle(struct point a, struct point b)
{
    const double degree = pi / 180;
    double half_x = sin((b.x - a.x) * degree / 2), half_y = sin((b.y - a.y) * degree / 2);
    double square = half_y * half_y + cos(a.y * degree) * cos(b.y * degree) * half_x * half_x;
    return 2 * earth_km * asin(fmin(1, sqrt(square)));
}

uint32_t instance_nodes(const struct instance *instance)
{
    return instance->n + instance->problem->has_depot;
}

uint32_t instance_node(const struct instance *instance, uint32_t i)
{
    return i + instance->problem->has_depot;
}

static struct point coordinates(const struct instance *instance, uint32_t v)
{
    uint32_t first = instance->problem->has_depot;
    return v < first ? instance->depot : instance->nodes[v - first];
}

double instance_distance(const struct instance *instance, uint32_t v, uint32_t w)
{
    if (instance->distances)
        return v == w ? 0 : instance->distances[(size_t)v * instance_nodes(instance) + w];
    struct point a = coordinates(instance, v), b = coordinates(instance, w);
    return instance->coordinates == COORDINATES_LONLAT ? great_circle(a, b) : metric_distance(METRIC_EUCLID, a, b);
}

struct point instance_position(const struct instance *instance, uint32_t v)
{
    return instance->plane ? instance->plane[v] : coordinates(instance, v);
}

// Kilometres east and north. Longitudes count from the first node's, the short way round the earth; they are
// scaled as in the middle latitude.
static void project_degrees(struct instance *instance)
{
    const uint32_t N = instance_nodes(instance);
    const double km = pi / 180 * earth_km, base = coordinates(instance, 0).x;
    double south = 90, north = -90;
    for (uint32_t v = 0; v < N; v++) {
        south = fmin(south, coordinates(instance, v).y);
        north = fmax(north, coordinates(instance, v).y);
    }
    for (uint32_t v = 0; v < N; v++) {
        struct point at = coordinates(instance, v);
        double east = remainder(at.x - base, 360);
        instance->plane[v] = (struct point){ km * east * cos((south + north) / 2 * pi / 180), km * at.y };
    }
}

void instance_project(struct instance *instance)
{
    if (instance->coordinates == COORDINATES_PLANE || instance->plane)
        return;
    instance->plane = xcalloc(instance_nodes(instance), sizeof *instance->plane);
    if (instance->coordinates == COORDINATES_LONLAT)
        project_degrees(instance);
    else
        embed_distances(instance->plane, instance->distances, instance_nodes(instance));
}

bool instance_is_open(const struct instance *instance)
{
    return instance->open || (instance->end > 0 && instance->end != instance->start);
}
