// Names beside nodes that cover neither nodes nor each other. A name without room is shortened or left out.
#ifndef PLOT_LABEL_H
#define PLOT_LABEL_H

#include "plot/frame.h"
#include "plot/spot.h"
#include "util/text.h"

#define PLOT_LABEL_FORMS 4 // of a name: ever shorter

struct plot_label {
    size_t mark;
    double left_out;                // what it costs to leave the name out
    char *forms[PLOT_LABEL_FORMS];  // NULL: the same as the next one; the last is there
    struct plot_spot *spots;        // stb_ds array
    const struct plot_spot *chosen; // NULL: left out
};

struct plot_labels {
    struct plot_scene scene;
    struct plot_label *labels; // stb_ds array
    size_t longest;            // form that is tried at the moment
};

void plot_labels_init(struct plot_labels *labels, const struct plot_frame *frame);
void plot_labels_finish(struct plot_labels *labels);

// What names keep off: marks must be free, and lines should. Returns the mark's number.
size_t plot_labels_mark(struct plot_labels *labels, struct point centre, double radius);
void plot_labels_line(struct plot_labels *labels, struct point from, struct point to, double weight);

// A name for a mark; one that MATTERS goes before all others. Returns the label's number.
size_t plot_labels_name(struct plot_labels *labels, size_t mark, const char *name, bool matters);

void plot_labels_place(struct plot_labels *labels);
void plot_labels_draw(const struct plot_labels *labels, struct text *svg);

#endif
