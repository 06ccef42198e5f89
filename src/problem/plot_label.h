// Names beside nodes that cover neither nodes nor each other.
#ifndef PROBLEM_PLOT_LABEL_H
#define PROBLEM_PLOT_LABEL_H

#include "problem/plot_frame.h"

#define PLOT_LABEL_LETTERS 12 // of a longer name, so many are shown

struct plot_box {
    double left, top, right, bottom;
};

struct plot_labels {
    const struct plot_frame *frame;
    struct plot_box *taken; // stb_ds array
};

// Keeps labels off a mark of this radius.
void plot_labels_avoid(struct plot_labels *labels, struct point centre, double radius);

// Where the middle of the label's base line goes: on the wished side of the node (a direction of length 1), else on
// another that is free. False when none is.
bool plot_labels_place(
    struct plot_labels *labels, struct point node, double radius, struct point wish, size_t letters, struct point *at);

void plot_labels_finish(struct plot_labels *labels);

#endif
