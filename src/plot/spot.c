#include "plot/spot.h"

#include <math.h>
#include <stb/stb_ds.h>

#define GAP      3.0  // between a mark and its name
#define STRANGE  5.0  // min distance to the mark of another name,
#define SPACIOUS 16.0 // and the distance beyond which it costs nothing
#define CROWDED  0.3  // cost per pixel closer than that
#define HALO     2.0  // around letters; hides lines
#define ASCENT   0.86 // of a letter, in units of the font size
#define DESCENT  0.22

// The position of a name relative to its mark: left (-1), middle (0) or right (1); above (-1) or below (1); and the
// text anchor.
static const struct side {
    double x, y;
    const char *anchor;
    double cost;
} sides[] = {
    { 1, 0, "start", 0 },
    { -1, 0, "end", 0.5 },
    { 0, -1, "middle", 0.5 },
    { 0, 1, "middle", 1 },
    { 0.71, -0.71, "start", 1.5 },
    { 0.71, 0.71, "start", 1.5 },
    { -0.71, -0.71, "end", 2 },
    { -0.71, 0.71, "end", 2 },
    { -0.4, -1, "start", 2.5 },
    { -0.4, 1, "start", 2.5 },
    { 0.4, -1, "end", 3 },
    { 0.4, 1, "end", 3 },
};

bool plot_boxes_touch(const struct plot_box *a, const struct plot_box *b)
{
    const double beside = 5, above = 1; // words run together more easily than lines
    return a->left < b->right + beside && b->left < a->right + beside && a->top < b->bottom + above &&
           b->top < a->bottom + above;
}

static double distance_to(const struct plot_box *box, const struct plot_mark *mark)
{
    double dx = fmax(fmax(box->left - mark->centre.x, mark->centre.x - box->right), 0);
    double dy = fmax(fmax(box->top - mark->centre.y, mark->centre.y - box->bottom), 0);
    return hypot(dx, dy) - mark->radius;
}

// Clips the interval of t in which FROM + t * STEP lies between two limits.
static void clip(double from, double step, double low, double high, double *begin, double *end)
{
    if (step == 0) {
        if (from < low || from > high)
            *end = *begin;
        return;
    }
    double a = (low - from) / step, b = (high - from) / step;
    *begin = fmax(*begin, fmin(a, b));
    *end = fmin(*end, fmax(a, b));
}

static double length_within(const struct plot_box *box, const struct plot_line *line)
{
    double dx = line->to.x - line->from.x, dy = line->to.y - line->from.y, begin = 0, end = 1;
    clip(line->from.x, dx, box->left - HALO, box->right + HALO, &begin, &end);
    clip(line->from.y, dy, box->top - HALO, box->bottom + HALO, &begin, &end);
    return end > begin ? (end - begin) * hypot(dx, dy) : 0;
}

// Nodes at the same position form one mark, as large as the largest of them.
static bool same_position(const struct plot_mark *a, const struct plot_mark *b)
{
    return fabs(a->centre.x - b->centre.x) < 1 && fabs(a->centre.y - b->centre.y) < 1;
}

static double radius_at(const struct plot_scene *scene, const struct plot_mark *mark)
{
    double radius = mark->radius;
    for (size_t i = 0; i < arrlenu(scene->marks); i++) {
        if (same_position(&scene->marks[i], mark))
            radius = fmax(radius, scene->marks[i].radius);
    }
    return radius;
}

static struct plot_spot spot_at(
    const struct plot_scene *scene, struct point centre, double reach, const struct side *side, double width)
{
    const struct plot_box *room = &scene->room;
    struct plot_spot spot = { .anchor = side->anchor };
    double x = centre.x + reach * side->x, font = scene->font;
    double left = *spot.anchor == 's' ? x : *spot.anchor == 'e' ? x - width : x - width / 2;
    if (*spot.anchor == 'm') { // above and below, the label may move along the border
        double moved = fmax(fmin(left, room->right - width), room->left);
        spot.anchor = moved > left ? "start" : moved < left ? "end" : spot.anchor;
        x = moved > left ? moved : moved < left ? moved + width : x;
        left = moved;
    }
    double y = centre.y + reach * side->y; // of the nearest edge, or of the middle
    double base = side->y == 0  ? y + (ASCENT - DESCENT) / 2 * font
                  : side->y < 0 ? y - DESCENT * font
                                : y + ASCENT * font;
    spot.at = (struct point){ x, base };
    spot.box = (struct plot_box){ left, base - ASCENT * font, left + width, base + DESCENT * font };
    return spot;
}

// Returns INFINITY if the name would cover a mark or seem to belong to another one.
static double cost_of(const struct plot_scene *scene, const struct plot_mark *own, const struct plot_box *box)
{
    const struct plot_box *room = &scene->room;
    if (box->left < room->left || box->right > room->right || box->top < room->top || box->bottom > room->bottom)
        return INFINITY;
    double nearest = SPACIOUS, cost = 0;
    for (size_t i = 0; i < arrlenu(scene->marks); i++) {
        const struct plot_mark *mark = &scene->marks[i];
        double distance = same_position(mark, own) ? SPACIOUS : distance_to(box, mark);
        if (distance < STRANGE)
            return INFINITY;
        nearest = fmin(nearest, distance);
    }
    for (size_t i = 0; i < arrlenu(scene->lines); i++)
        cost += scene->lines[i].weight * length_within(box, &scene->lines[i]);
    return cost + CROWDED * (SPACIOUS - nearest);
}

void plot_spots_add(
    struct plot_spot **spots, const struct plot_scene *scene, size_t mark, double width, struct plot_spot prototype)
{
    const struct plot_mark *own = &scene->marks[mark];
    double reach = radius_at(scene, own) + GAP;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        struct plot_spot spot = spot_at(scene, own->centre, reach, &sides[i], width);
        double more = cost_of(scene, own, &spot.box);
        if (isinf(more))
            continue;
        spot.form = prototype.form;
        spot.cost = prototype.cost + sides[i].cost + more;
        arrput(*spots, spot);
    }
}
