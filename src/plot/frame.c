#include "plot/frame.h"

#include <math.h>
#include <stdlib.h>

#include "plot/card.h"
#include "problem/metric.h"
#include "util/alloc.h"

#define CLUSTERS_MAX 2000 // max nodes for which all pairs are compared
#define LONG_SIDE    720.0
#define MIN_SIDE     504.0 // room for a title

// Returns the column that node sizes show, or NULL.
static const struct column *weight(const struct instance *instance)
{
    FOR_COLUMNS(column, instance->problem)
    {
        if (column->per_node)
            return column;
    }
    return NULL;
}

const char *plot_weight_name(const struct instance *instance)
{
    const struct column *column = weight(instance);
    return !column ? NULL : column->label ? column->label : column->key;
}

double plot_weight(const struct instance *instance, uint32_t i)
{
    const struct column *column = weight(instance);
    return column ? instance_value(instance, column, i) : 1;
}

// Files have latitude first; a map has longitude on the x axis.
static struct point on_map(const struct instance *instance, struct point p)
{
    return instance->metric == METRIC_GEO ? (struct point){ p.y, p.x } : p;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Chooses the radius by the number of nodes and by the distances in clusters.
static double usual_radius(const struct plot_frame *frame)
{
    const struct instance *instance = frame->instance;
    double by_count = 0.11 * sqrt(fmax(frame->across, 60) * fmax(frame->down, 60) / instance->n);
    if (instance->n < 2 || instance->n > CLUSTERS_MAX)
        return by_count;
    double *nearest = xcalloc(instance->n, sizeof *nearest);
    for (uint32_t i = 0; i < instance->n; i++) {
        struct point p = plot_position(frame, instance_position(instance, instance_node(instance, i)));
        nearest[i] = INFINITY;
        for (uint32_t j = 0; j < instance->n; j++) {
            struct point q = plot_position(frame, instance_position(instance, instance_node(instance, j)));
            if (j != i)
                nearest[i] = fmin(nearest[i], hypot(p.x - q.x, p.y - q.y));
        }
    }
    qsort(nearest, instance->n, sizeof *nearest, ascending);
    double by_nearest = 0.5 * nearest[instance->n / 12];
    free(nearest);
    return fmin(by_count, fmax(by_nearest, 0.45 * by_count));
}

void plot_frame_init(struct plot_frame *frame, const struct instance *instance, bool legend)
{
    *frame = (struct plot_frame){ .instance = instance, .legend = legend };
    struct point low = on_map(instance, instance_position(instance, 0)), high = low;
    frame->min_weight = frame->max_weight = plot_weight(instance, 0);
    for (uint32_t i = 0; i < instance->n; i++) {
        struct point p = on_map(instance, instance_position(instance, instance_node(instance, i)));
        low = (struct point){ fmin(low.x, p.x), fmin(low.y, p.y) };
        high = (struct point){ fmax(high.x, p.x), fmax(high.y, p.y) };
        frame->min_weight = fmin(frame->min_weight, plot_weight(instance, i));
        frame->max_weight = fmax(frame->max_weight, plot_weight(instance, i));
    }
    frame->low = low;
    frame->range = fmax(high.x - low.x, high.y - low.y);
    frame->shown = LONG_SIDE;
    double share_x = frame->range > 0 ? (high.x - low.x) / frame->range : 0;
    double share_y = frame->range > 0 ? (high.y - low.y) / frame->range : 0;
    frame->across = share_x * LONG_SIDE;
    frame->down = share_y * LONG_SIDE;

    frame->radius = fmin(fmax(usual_radius(frame), 1.3), 7);
    frame->line = fmin(fmax(0.4 * frame->radius, 0.9), 2.2);

    double inner = fmax(frame->across, MIN_SIDE), inner_down = fmax(frame->down, 60);
    frame->width = inner + 2 * PLOT_PAD;
    frame->height = PLOT_HEADER + inner_down + (legend ? PLOT_FOOTER : 0) + 1.5 * PLOT_PAD;
    frame->left = PLOT_PAD + (inner - frame->across) / 2;
    frame->top = PLOT_HEADER + PLOT_PAD / 2 + (inner_down - frame->down) / 2;
}

struct point plot_position(const struct plot_frame *frame, struct point coordinates)
{
    struct point p = on_map(frame->instance, coordinates);
    if (!(frame->range > 0))
        return (struct point){ frame->left, frame->top };
    return (struct point){ frame->left + (p.x - frame->low.x) / frame->range * frame->shown,
        frame->top + frame->down - (p.y - frame->low.y) / frame->range * frame->shown };
}

// The area is proportional to the weight, but the smallest node stays visible.
double plot_radius(const struct plot_frame *frame, double weight)
{
    if (!(frame->max_weight > frame->min_weight))
        return frame->radius;
    return frame->radius * (0.5 + sqrt(weight / frame->max_weight));
}
