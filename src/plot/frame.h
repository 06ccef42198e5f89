// Where a picture's nodes go and how large they are, in pixels. The y axis points up, as on a map.
#ifndef PLOT_FRAME_H
#define PLOT_FRAME_H

#include "problem/problem.h"

struct plot_frame {
    const struct instance *instance;
    double width, height; // of the whole picture
    double left, top;     // of the drawing
    double across, down;  // its size
    double radius;        // of a node of middling weight
    double line;          // width of a route's line
    struct point low;     // of the coordinates
    double range;         // the larger one; 0: a single place
    double shown;         // pixels for the range
    double min_weight, max_weight;
    bool legend; // below the drawing
};

#define PLOT_FOOTER 34.0 // legend

void plot_frame_init(struct plot_frame *frame, const struct instance *instance, bool legend);

struct point plot_place(const struct plot_frame *frame, struct point coordinates);

// What a node's size stands for; NULL: nothing. WEIGHT is the customer's.
const char *plot_weight_name(const struct instance *instance);
double plot_weight(const struct instance *instance, uint32_t i);
double plot_radius(const struct plot_frame *frame, double weight);

#endif
