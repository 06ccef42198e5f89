// Places labels beside nodes so that they cover neither nodes nor each other. A label without room is shortened or
// omitted.
#ifndef PLOT_LABEL_H
#define PLOT_LABEL_H

#include "plot/frame.h"
#include "plot/spot.h"
#include "util/text.h"

#define PLOT_LABEL_FORMS 4 // forms of a label, each shorter than the one before

struct plot_label {
    size_t mark;
    double left_out;                // cost of omitting the label
    char *forms[PLOT_LABEL_FORMS];  // NULL: same as the next one; the last one is not NULL
    struct plot_spot *spots;        // stb_ds array
    const struct plot_spot *chosen; // NULL: omitted
};

struct plot_labels {
    struct plot_scene scene;
    struct plot_label *labels; // stb_ds array
    size_t longest;            // the form that is tried now
};

void plot_labels_init(struct plot_labels *labels, const struct plot_frame *frame);
void plot_labels_finish(struct plot_labels *labels);

// Adds obstacles: labels must not cover marks and should not cover lines. Returns the mark's index.
size_t plot_labels_mark(struct plot_labels *labels, struct point centre, double radius);
void plot_labels_line(struct plot_labels *labels, struct point from, struct point to, double weight);

// Adds a label for a mark; an IMPORTANT one takes precedence. Returns the label's index.
size_t plot_labels_name(struct plot_labels *labels, size_t mark, const char *name, bool important);

void plot_labels_place(struct plot_labels *labels);
void plot_labels_draw(const struct plot_labels *labels, struct text *svg);

#endif
