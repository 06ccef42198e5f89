#include "plot/plot.h"

#include <math.h>
#include <stb/stb_ds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plot/card.h"
#include "plot/colour.h"
#include "plot/frame.h"
#include "plot/label.h"
#include "plot/name.h"
#include "problem/describe.h"
#include "problem/metric.h"
#include "util/alloc.h"
#include "util/error.h"

#define DEPOT_HALF(frame) fmax(1.35 * (frame)->radius, 6.5)
#define TOUR_COST         0.3 // per pixel of line that a label covers
#define LEG_COST          0.12
#define LABELS_MAX        200  // max nodes with labels
#define TOOLTIPS_MAX      2000 // max nodes with tooltips
#define TOOLTIP_LETTERS   200  // of a name

struct plot {
    struct text *svg;
    const struct instance *instance;
    const struct solution *solution; // may be NULL
    struct plot_frame frame;
    char (*colours)[8];   // stb_ds array: per route
    uint32_t **routes_of; // per customer an stb_ds array of the routes that visit it
    uint32_t unvisited;
    struct plot_labels labels;
    bool depot_is_named; // label beside its mark
};

// Returns the full id of a node; BUFFER is for numbers.
static const char *name_of(const struct node_id *id, char buffer[LABEL_SIZE])
{
    if (id->text)
        return id->text;
    snprintf(buffer, LABEL_SIZE, "%lld", (long long)id->number);
    return buffer;
}

static const char *node_name(const struct plot *plot, uint32_t i, char buffer[LABEL_SIZE])
{
    return name_of(plot->instance->ids ? &plot->instance->ids[i] : &(struct node_id){ .number = i + 1LL }, buffer);
}

static struct point position_of(const struct plot *plot, uint32_t i)
{
    return plot_position(&plot->frame, instance_position(plot->instance, instance_node(plot->instance, i)));
}

// Routes are ordered by their direction from the depot, so that neighbours get distant colours.
struct bearing {
    double angle;
    ptrdiff_t route;
};

static int by_angle(const void *a, const void *b)
{
    const struct bearing *x = a, *y = b;
    if (x->angle != y->angle)
        return x->angle < y->angle ? -1 : 1;
    return (x->route > y->route) - (x->route < y->route);
}

static void choose_colours(struct plot *plot)
{
    ptrdiff_t count = plot->solution ? arrlen(plot->solution->routes) : 0;
    if (!count)
        return;
    struct bearing *bearings = xcalloc((size_t)count, sizeof *bearings);
    struct point depot = plot_position(&plot->frame, instance_position(plot->instance, 0));
    for (ptrdiff_t r = 0; r < count; r++) {
        const uint32_t *stops = plot->solution->routes[r].stops;
        double x = 0, y = 0;
        for (ptrdiff_t s = 0; s < arrlen(stops); s++) {
            if (!instance_has_stop(plot->instance, stops[s]))
                continue;
            struct point p = position_of(plot, stops[s] - 1);
            x += p.x - depot.x, y += p.y - depot.y;
        }
        bearings[r] = (struct bearing){ atan2(y, x), r };
    }
    qsort(bearings, (size_t)count, sizeof *bearings, by_angle);
    arrsetlen(plot->colours, (size_t)count);
    for (ptrdiff_t k = 0; k < count; k++)
        plot_colour((uint32_t)k, (uint32_t)count, plot->colours[bearings[k].route]);
    free(bearings);
}

static void note_visits(struct plot *plot)
{
    for (size_t r = 0; plot->solution && r < arrlenu(plot->solution->routes); r++) {
        const uint32_t *stops = plot->solution->routes[r].stops;
        for (size_t s = 0; s < arrlenu(stops); s++) {
            if (!instance_has_stop(plot->instance, stops[s]))
                continue;
            uint32_t **routes = &plot->routes_of[stops[s] - 1];
            plot->unvisited -= !arrlen(*routes);
            arrput(*routes, (uint32_t)r);
        }
    }
}

static void draw_lines(struct plot *plot, const uint32_t *stops, bool through_depot)
{
    struct text *svg = plot->svg;
    struct point depot = plot_position(&plot->frame, instance_position(plot->instance, 0)), first = depot, last = depot;
    bool any = false;
    text_add(svg, "<path class=\"tour\" d=\"");
    if (through_depot)
        text_add(svg, "M%.1f %.1f", depot.x, depot.y);
    for (ptrdiff_t s = 0; s < arrlen(stops); s++) {
        if (!instance_has_stop(plot->instance, stops[s]))
            continue;
        struct point position = position_of(plot, stops[s] - 1);
        if (any || through_depot)
            plot_labels_line(&plot->labels, last, position, TOUR_COST);
        last = position;
        first = any ? first : last;
        text_add(svg, "%c%.1f %.1f", any || through_depot ? 'L' : 'M', last.x, last.y);
        any = true;
    }
    bool faint = plot->instance->problem->has_depot && !through_depot, open = instance_is_open(plot->instance);
    text_add(svg, "%s\"/>", any && !faint && !open ? "Z" : "");
    if (any && !open)
        plot_labels_line(&plot->labels, last, faint || through_depot ? depot : first, faint ? LEG_COST : TOUR_COST);
    if (any && faint) {
        plot_labels_line(&plot->labels, depot, first, LEG_COST);
        double share = 1 / sqrt((double)arrlen(plot->solution->routes));
        text_add(svg, "<path class=\"leg\" stroke-width=\"%.2f\" stroke-opacity=\"%.2f\" d=\"M%.1f %.1fL%.1f %.1f",
            0.75 * plot->frame.line, fmin(0.15 + 0.6 * share, 0.5), depot.x, depot.y, first.x, first.y);
        if (!open)
            text_add(svg, "M%.1f %.1fL%.1f %.1f", depot.x, depot.y, last.x, last.y);
        text_add(svg, "\"/>");
    }
}

// The legs from and to the depot crowd around it, so they are drawn fainter the more routes there are.
static void draw_route(struct plot *plot, ptrdiff_t r)
{
    struct text *svg = plot->svg;
    const struct route *route = &plot->solution->routes[r];
    text_add(svg, "<g stroke=\"%s\" stroke-width=\"%.2f\"><title>", plot->colours[r], plot->frame.line);
    text_add(svg, "Route %td: ", r + 1);
    describe_route(svg, plot->instance, route);
    text_add(svg, "</title>");
    draw_lines(plot, route->stops, plot->instance->problem->has_depot && arrlen(plot->solution->routes) == 1);
    text_add(svg, "</g>\n");
}

// Draws one route's share of a split delivery as a sector between two angles (in full turns).
static void draw_sector(struct plot *plot, struct point p, double radius, double from, double to, const char *colour)
{
    double turn = 2 * 3.14159265358979;
    text_add(plot->svg, "<path fill=\"%s\" d=\"M%.1f %.1fL%.1f %.1fA%.1f %.1f 0 %d 1 %.1f %.1fZ\"/>", colour, p.x, p.y,
        p.x + radius * sin(turn * from), p.y - radius * cos(turn * from), radius, radius, to - from > 0.5,
        p.x + radius * sin(turn * to), p.y - radius * cos(turn * to));
}

// Returns the amount that route R delivers to customer I; 1 if the solution has no amounts.
static double brought(const struct plot *plot, uint32_t r, uint32_t i)
{
    const struct route *route = &plot->solution->routes[r];
    double sum = 0;
    for (ptrdiff_t s = 0; s < arrlen(route->stops); s++) {
        if (route->stops[s] == i + 1)
            sum += route->amounts ? (double)route->amounts[s] : 1;
    }
    return sum;
}

static void draw_shares(struct plot *plot, uint32_t i, struct point p, double radius)
{
    const uint32_t *routes = plot->routes_of[i];
    double sum = 0, from = 0;
    for (ptrdiff_t k = 0; k < arrlen(routes); k++)
        sum += brought(plot, routes[k], i);
    for (ptrdiff_t k = 0; sum > 0 && k < arrlen(routes); k++) {
        double to = from + brought(plot, routes[k], i) / sum;
        if (to > from)
            draw_sector(plot, p, radius, from, to, plot->colours[routes[k]]);
        from = to;
    }
}

static void draw_node(struct plot *plot, uint32_t i)
{
    struct text *svg = plot->svg;
    struct point p = position_of(plot, i);
    double radius = plot_radius(&plot->frame, plot_weight(plot->instance, i));
    ptrdiff_t visits = arrlen(plot->routes_of[i]);
    text_add(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.2f\"", p.x, p.y, radius);
    if (!plot->solution)
        text_add(svg, " class=\"node plain\"");
    else if (!visits)
        text_add(svg, " class=\"pale\"");
    else
        text_add(svg, " class=\"node\" fill=\"%s\"", plot->colours[plot->routes_of[i][0]]);
    if (plot->instance->n > TOOLTIPS_MAX) {
        text_add(svg, "/>\n");
    } else {
        char buffer[LABEL_SIZE];
        text_add(svg, "><title>");
        text_add_xml(svg, node_name(plot, i, buffer), TOOLTIP_LETTERS);
        if (plot_weight_name(plot->instance))
            text_add(svg, ": ");
        describe_weight(svg, plot->instance, i);
        text_add(svg, "</title></circle>\n");
    }
    if (visits > 1)
        draw_shares(plot, i, p, radius);
}

static void draw_depot(struct plot *plot, struct point p, double half)
{
    text_add(plot->svg,
        "<rect class=\"depot\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" stroke-width=\"1.5\">"
        "<title>",
        p.x - half, p.y - half, 2 * half, 2 * half, half / 3);
    char buffer[LABEL_SIZE];
    text_add(plot->svg, "depot%s", plot->instance->has_depot_id ? " " : "");
    if (plot->instance->has_depot_id)
        text_add_xml(plot->svg, name_of(&plot->instance->depot_id, buffer), TOOLTIP_LETTERS);
    text_add(plot->svg, "</title></rect>\n");
}

static void draw_labels(struct plot *plot)
{
    const struct instance *instance = plot->instance;
    const struct plot_frame *frame = &plot->frame;
    struct plot_labels *labels = &plot->labels;
    char buffer[LABEL_SIZE];
    size_t depot_label = SIZE_MAX;
    if (instance->problem->has_depot) {
        size_t mark = plot_labels_mark(labels, plot_position(frame, instance_position(instance, 0)),
            1.2 * DEPOT_HALF(frame)); // radius includes the corners
        if (instance->has_depot_id)
            depot_label = plot_labels_name(labels, mark, name_of(&instance->depot_id, buffer), true);
    }
    for (uint32_t i = 0; i < instance->n; i++) {
        size_t mark = plot_labels_mark(labels, position_of(plot, i), plot_radius(frame, plot_weight(instance, i)));
        if (instance->n <= LABELS_MAX)
            plot_labels_name(labels, mark, node_name(plot, i, buffer), false);
    }
    plot_labels_place(labels);
    plot_labels_draw(labels, plot->svg);
    plot->depot_is_named = depot_label != SIZE_MAX && labels->labels[depot_label].chosen;
}

static void draw_header(struct plot *plot, const struct verdict *verdict)
{
    struct text words = { 0 }, count = { 0 };
    const struct instance *instance = plot->instance;
    const double width = plot->frame.width;
    describe_instance(&words, instance);
    plot_card_title(plot->svg, width, words.data);
    text_finish(&words);

    bool bad = verdict && !verdict->feasible;
    text_add(&count, "%u %s%s", instance->n, instance->problem->has_depot ? "customer" : "node",
        instance->n == 1 ? "" : "s");
    if (bad)
        text_add(&words, "infeasible: %s", verdict->violation);
    else if (verdict)
        describe_objective(&words, instance, plot->solution, verdict, " \u00b7 ");
    else
        text_add(&words, "%s", count.data);
    if (verdict && !bad && words.size + count.size < plot_card_letters(width))
        text_add(&words, " \u00b7 %s", count.data);
    plot_card_caption(plot->svg, width, bad ? "bad" : "soft", words.data);
    text_finish(&words);
    text_finish(&count);
}

// Draws a note of the legend after its mark; returns the position of the next mark.
static double draw_note(struct plot *plot, double x, double y, const char *note)
{
    text_add(plot->svg, "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\" font-size=\"12\">", x, y + 4);
    text_add_xml(plot->svg, note, SIZE_MAX);
    text_add(plot->svg, "</text>\n");
    return x + plot_name_width(note, 12) + 20;
}

// Draws the depot's name if it had no room beside its mark.
static double draw_depot_note(struct plot *plot, double x, double y)
{
    char buffer[LABEL_SIZE];
    bool named = plot->instance->has_depot_id && !plot->depot_is_named;
    char *name = named ? plot_name_cut(name_of(&plot->instance->depot_id, buffer), 20) : xstrdup("");
    char *note = xformat("depot%s%s", named ? " " : "", name);
    draw_depot(plot, (struct point){ x + 6, y }, 6);
    x = draw_note(plot, x + 19, y, note);
    free(note);
    free(name);
    return x;
}

static void draw_legend(struct plot *plot)
{
    const struct plot_frame *frame = &plot->frame;
    const char *weight = plot_weight_name(plot->instance);
    double x = PLOT_PAD, y = frame->height - 0.75 * PLOT_PAD;
    if (plot->instance->problem->has_depot)
        x = draw_depot_note(plot, x, y);
    if (weight && frame->max_weight > frame->min_weight) {
        double small = plot_radius(frame, frame->min_weight), large = plot_radius(frame, frame->max_weight);
        text_add(plot->svg, "<g class=\"plain\"><circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.2f\"/>", x + small, y, small);
        text_add(plot->svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.2f\"/></g>\n", x + 2 * small + 4 + large, y, large);
        struct text words = { 0 };
        text_add(&words, "%s ", weight);
        text_add_round(&words, frame->min_weight);
        text_add(&words, " to ");
        text_add_round(&words, frame->max_weight);
        x = draw_note(plot, x + 2 * small + 2 * large + 11, y, words.data);
        text_finish(&words);
    }
    if (plot->solution && plot->unvisited) {
        struct text words = { 0 };
        text_add(&words, "%u not visited", plot->unvisited);
        text_add(plot->svg, "<circle class=\"pale\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n", x + 5, y);
        draw_note(plot, x + 16, y, words.data);
        text_finish(&words);
    }
}

static void draw_all(struct plot *plot, const struct verdict *verdict)
{
    struct text *svg = plot->svg;
    const struct instance *instance = plot->instance;
    const struct plot_frame *frame = &plot->frame;
    struct text words = { 0 };
    describe_instance(&words, instance);
    plot_card(svg, frame->width, frame->height, words.data);
    text_finish(&words);
    draw_header(plot, verdict);
    for (ptrdiff_t r = 0; plot->solution && r < arrlen(plot->solution->routes); r++)
        draw_route(plot, r);
    text_add(svg, "<g stroke-width=\"%.2f\">\n", fmin(fmax(0.22 * frame->radius, 0.4), 1.2));
    for (uint32_t i = 0; i < instance->n; i++)
        draw_node(plot, i);
    text_add(svg, "</g>\n");
    if (instance->problem->has_depot)
        draw_depot(plot, plot_position(frame, instance_position(instance, 0)), DEPOT_HALF(frame));
    draw_labels(plot);
    draw_legend(plot);
    text_add(svg, "</svg>\n");
}

void plot_write(
    struct text *svg, const struct instance *instance, const struct solution *solution, const struct verdict *verdict)
{
    struct plot plot = { .svg = svg, .instance = instance, .solution = solution, .unvisited = instance->n };
    plot.routes_of = xcalloc(instance->n, sizeof *plot.routes_of);
    note_visits(&plot);
    plot_frame_init(&plot.frame, instance, instance->problem->has_depot || (solution && plot.unvisited));
    plot_labels_init(&plot.labels, &plot.frame);
    choose_colours(&plot);
    draw_all(&plot, solution ? verdict : NULL);
    for (uint32_t i = 0; i < instance->n; i++)
        arrfree(plot.routes_of[i]);
    free(plot.routes_of);
    plot_labels_finish(&plot.labels);
    arrfree(plot.colours);
}
