// Candidate positions of a label around its node, and their costs without regard to other labels.
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

// A line of a route; COST per pixel that a label covers.
struct plot_line {
    struct point from, to;
    double weight;
};

struct plot_scene {
    struct plot_box room; // labels must stay inside
    double font;
    struct plot_mark *marks; // stb_ds arrays
    struct plot_line *lines;
};

struct plot_spot {
    struct plot_box box;
    struct point at;    // start of the base line
    const char *anchor; // SVG text-anchor: start, middle or end
    size_t form;        // index of the form of the name
    double cost;
};

// Appends the positions beside a mark for a text of this width that lie inside the room, cover no mark and are closer
// to this mark than to any other. PROTOTYPE has the form and its cost at every position.
void plot_spots_add(
    struct plot_spot **spots, const struct plot_scene *scene, size_t mark, double width, struct plot_spot prototype);

bool plot_boxes_touch(const struct plot_box *a, const struct plot_box *b);

#endif
