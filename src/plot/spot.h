// Places for a name around its node, and how well each would do, whatever other names there are.
#ifndef PLOT_SPOT_H
#define PLOT_SPOT_H

#include <stdbool.h>
#include <stddef.h>

#include "problem/problem.h"

struct plot_box {
    double left, top, right, bottom;
};

// A node or the depot.
struct plot_mark {
    struct point centre;
    double radius;
};

// Of a route; a name that covers it costs so much per pixel.
struct plot_line {
    struct point from, to;
    double weight;
};

struct plot_scene {
    struct plot_box room; // that names keep to
    double font;
    struct plot_mark *marks; // stb_ds arrays
    struct plot_line *lines;
};

struct plot_spot {
    struct plot_box box;
    struct point at;    // of the base line
    const char *anchor; // start, middle or end: what lies at that point
    size_t form;        // of the name: which of its texts
    double cost;
};

// Adds to the stb_ds array the spots for a text so wide beside a mark that lie inside the room, cover no mark and are
// nearer to this one than to any other. PROTOTYPE has the form and what it costs everywhere.
void plot_spots_add(
    struct plot_spot **spots, const struct plot_scene *scene, size_t mark, double width, struct plot_spot prototype);

bool plot_boxes_touch(const struct plot_box *a, const struct plot_box *b);

#endif
