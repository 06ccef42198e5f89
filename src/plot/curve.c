#include "plot/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "plot/card.h"
#include "plot/colour.h"
#include "util/alloc.h"
#include "util/divide.h"

#define WIDTH  760.0
#define HEIGHT 430.0
#define BOTTOM (HEIGHT - 58) // of the plot area; axis and legend are below it
#define LEFT   (PLOT_PAD + 40)
#define RIGHT  (WIDTH - PLOT_PAD)
enum { GRID_LINES = 5 };
// Max points of a line; longer lists are averaged. With several sizes every batch has another one, so only the mean
// over many batches is informative.
enum { POINTS_MAX = 400, POINTS_MAX_SIZES = 24 };
#define ZOOM 3.0 // costs that would make the plot higher by this factor are clipped

struct drawing {
    struct text *svg;
    double instances;                        // of the last point
    double max_instances;                    // the same, at least 1
    double low, high;                        // costs
    double above;                            // the highest cost if it is clipped, else NAN
    bool empty;                              // no points to draw
    struct curve_point *costs, *validations; // stb_ds arrays
};

// Averages neighbouring points to at most MAX_POINTS points; returns an stb_ds array.
static struct curve_point *averaged(const struct curve_point *points, size_t max_points)
{
    struct curve_point *means = NULL;
    size_t count = arrlenu(points), group = divide_up(count, max_points);
    for (size_t i = 0; i < count; i += group) {
        struct curve_point mean = { 0, 0 };
        size_t size = count - i < group ? count - i : group;
        for (size_t k = i; k < i + size; k++) {
            mean.instances += points[k].instances / (double)size;
            mean.cost += points[k].cost / (double)size;
        }
        arrput(means, mean);
    }
    return means;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Finds the range of costs, without the high costs at the start of training.
static void find_range(struct drawing *c, const struct curve *curve)
{
    double *all = NULL;
    for (size_t i = 0; i < arrlenu(c->costs); i++)
        arrput(all, c->costs[i].cost);
    for (size_t i = 0; i < arrlenu(c->validations); i++)
        arrput(all, c->validations[i].cost);
    c->low = 0, c->high = 1;
    c->above = NAN;
    c->empty = !arrlenu(all);
    if (!c->empty) {
        qsort(all, arrlenu(all), sizeof *all, ascending);
        double usual_max = all[arrlenu(all) - 1 - arrlenu(all) / 20];
        c->low = all[0];
        c->high = arrlast(all);
        if (c->high - c->low > ZOOM * (usual_max - c->low) && usual_max > c->low) {
            c->above = c->high;
            c->high = usual_max;
        }
    }
    double size = fmax(fabs(c->high), 1), room = fmax(0.06 * (c->high - c->low), 1e-6 * size);
    if (c->high <= c->low) // all values are equal
        room = 0.05 * size;
    c->low -= room;
    c->high += room;
    arrfree(all);
    c->instances = 0;
    if (arrlenu(curve->costs))
        c->instances = arrlast(curve->costs).instances;
    if (arrlenu(curve->validations))
        c->instances = fmax(c->instances, arrlast(curve->validations).instances);
    c->max_instances = fmax(c->instances, 1);
}

static double across(const struct drawing *c, double instances)
{
    return LEFT + (RIGHT - LEFT) * instances / c->max_instances;
}

static double down(const struct drawing *c, double cost)
{
    return PLOT_HEADER + (BOTTOM - PLOT_HEADER) * (c->high - cost) / (c->high - c->low);
}

// Returns 1, 2 or 5 times a power of ten that divides the range into about as many parts as there are grid lines.
static double grid_step(double range)
{
    double power = pow(10, floor(log10(range / GRID_LINES))), share = range / GRID_LINES / power;
    return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

static void add_count(struct text *text, double count)
{
    static const char *const units[] = { "", " k", " M", " G" };
    int unit = 0;
    while (count >= 1000 && unit < 3) {
        count /= 1000;
        unit++;
    }
    text_add_round(text, count);
    text_add(text, "%s", units[unit]);
}

static void draw_axes(const struct drawing *c)
{
    text_add(c->svg, "<g font-size=\"12\" stroke-width=\"0\">\n");
    double step = grid_step(c->high - c->low);
    for (double cost = ceil(c->low / step) * step; cost <= c->high; cost += step) {
        double y = down(c, cost), shown = fabs(cost) < step / 2 ? 0 : cost;
        text_add(c->svg, "<path class=\"pale\" stroke-width=\"1\" stroke-opacity=\"0.5\" d=\"M%.1f %.1fH%.1f\"/>", LEFT,
            y, RIGHT);
        text_add(c->svg, "<text class=\"soft\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">", LEFT - 8, y + 4);
        text_add_round(c->svg, shown);
        text_add(c->svg, "</text>\n");
    }
    step = grid_step(c->max_instances);
    for (double instances = 0; instances <= c->instances; instances += step) {
        text_add(c->svg, "<text class=\"soft\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">", across(c, instances),
            BOTTOM + 18);
        add_count(c->svg, instances);
        text_add(c->svg, "</text>\n");
    }
    text_add(c->svg, "</g>\n");
}

// Where lines are clipped at the top, writes how high they go.
static void draw_above(const struct drawing *c)
{
    if (isnan(c->above))
        return;
    text_add(
        c->svg, "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\" font-size=\"12\">\u2191 up to ", LEFT, PLOT_HEADER - 5);
    text_add_round(c->svg, c->above);
    text_add(c->svg, "</text>\n");
}

static void draw_line(const struct drawing *c, const struct curve_point *points, const char *colour, double width)
{
    if (!arrlenu(points))
        return;
    text_add(
        c->svg, "<path clip-path=\"url(#in)\" class=\"tour\" stroke=\"%s\" stroke-width=\"%.1f\" d=\"", colour, width);
    for (size_t i = 0; i < arrlenu(points); i++)
        text_add(c->svg, "%c%.1f %.1f", i ? 'L' : 'M', across(c, points[i].instances), down(c, points[i].cost));
    text_add(c->svg, "\"/>\n");
}

static void draw_dots(const struct drawing *c, const struct curve_point *points, const char *colour)
{
    if (arrlenu(points) > 60)
        return;
    text_add(c->svg, "<g class=\"node\" clip-path=\"url(#in)\" stroke-width=\"1\" style=\"fill:%s\">\n", colour);
    for (size_t i = 0; i < arrlenu(points); i++) {
        text_add(c->svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>", across(c, points[i].instances),
            down(c, points[i].cost));
        text_add_round(c->svg, points[i].cost);
        text_add(c->svg, "</title></circle>\n");
    }
    text_add(c->svg, "</g>\n");
}

static void draw_legend(const struct drawing *c, char colours[2][8])
{
    static const char *const notes[] = { "validation: greedy, best of the decoders", "training: mean of the samples" };
    double x = LEFT, y = HEIGHT - 18;
    for (int i = 0; i < 2; i++) {
        text_add(c->svg, "<path class=\"tour\" stroke=\"%s\" stroke-width=\"%.1f\" d=\"M%.1f %.1fh18\"/>", colours[i],
            i ? 1.4 : 2.2, x, y - 4);
        text_add(
            c->svg, "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\" font-size=\"12\">%s</text>\n", x + 25, y, notes[i]);
        x += 25 + 6.4 * (double)strlen(notes[i]) + 24;
    }
    text_add(c->svg,
        "<text class=\"soft\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\" font-size=\"12\">instances</text>\n", RIGHT, y);
}

static void draw_header(const struct drawing *c, const struct curve *curve)
{
    struct text words = { 0 };
    text_add(&words, "Training %s, %u", curve->problem->name, curve->n_min);
    if (curve->n_max > curve->n_min)
        text_add(&words, " to %u", curve->n_max);
    text_add(&words, " %s", curve->problem->has_depot ? "customers" : "nodes");
    plot_card(c->svg, WIDTH, HEIGHT, words.data);
    plot_card_title(c->svg, WIDTH, words.data);
    text_finish(&words);
    double best = INFINITY;
    for (size_t i = 0; i < arrlenu(curve->validations); i++)
        best = fmin(best, curve->validations[i].cost);
    if (c->instances > 0) {
        add_count(&words, c->instances);
        text_add(&words, c->instances > 1 ? " instances" : " instance");
    } else {
        text_add(&words, "no training in the log yet");
    }
    if (best < INFINITY) {
        text_add(&words, " \u00b7 cost in validation ");
        text_add_round(&words, curve->validations[0].cost);
        text_add(&words, " at first, ");
        text_add_round(&words, best);
        text_add(&words, " at best");
    }
    plot_card_caption(c->svg, WIDTH, "soft", words.data);
    text_finish(&words);
}

void curve_write(struct text *svg, const struct curve *curve)
{
    const bool sizes = curve->n_max > curve->n_min;
    struct drawing c = { .svg = svg,
        .costs = averaged(curve->costs, sizes ? POINTS_MAX_SIZES : POINTS_MAX),
        .validations = averaged(curve->validations, POINTS_MAX) };
    char colours[2][8];
    for (uint32_t i = 0; i < 2; i++)
        plot_colour(i, 2, colours[i]);
    find_range(&c, curve);
    draw_header(&c, curve);
    text_add(svg, "<clipPath id=\"in\"><rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/></clipPath>\n",
        LEFT - 4, PLOT_HEADER, RIGHT - LEFT + 8, BOTTOM - PLOT_HEADER);
    if (!c.empty)
        draw_axes(&c);
    draw_above(&c);
    draw_line(&c, c.costs, colours[1], 1.4);
    draw_line(&c, c.validations, colours[0], 2.2);
    draw_dots(&c, c.validations, colours[0]);
    draw_legend(&c, colours);
    text_add(svg, "</svg>\n");
    arrfree(c.costs);
    arrfree(c.validations);
}
