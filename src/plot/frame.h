// Positions and sizes of a plot's nodes in pixels. The y axis points up, as on a map.
#ifndef PLOT_FRAME_H
#define PLOT_FRAME_H

#include "problem/problem.h"

struct plot_frame {
    const struct instance *instance;
    double width, height; // of the whole SVG
    double left, top;     // of the plot area
    double across, down;  // its size
    double radius;        // of a node of average weight
    double line;          // width of a route's line
    struct point low;     // min of the coordinates
    double range;         // the larger range of the coordinates; 0: all nodes coincide
    double shown;         // pixels for the range
    double min_weight, max_weight;
    bool legend; // below the plot area
};

#define PLOT_FOOTER 34.0 // legend

void plot_frame_init(struct plot_frame *frame, const struct instance *instance, bool legend);

struct point plot_position(const struct plot_frame *frame, struct point coordinates);

// Returns the name of the column that node sizes show, or NULL; plot_weight is its value for a customer.
const char *plot_weight_name(const struct instance *instance);
double plot_weight(const struct instance *instance, uint32_t i);
double plot_radius(const struct plot_frame *frame, double weight);

#endif
