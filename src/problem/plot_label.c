#include "problem/plot_label.h"

#include <math.h>
#include <stb/stb_ds.h>

#define LETTER 3.2 // half the width of a letter, about
#define HEIGHT 4.2 // half the height
#define SIDES  12  // directions that are tried

void plot_labels_avoid(struct plot_labels *labels, struct point centre, double radius)
{
    struct plot_box box = { centre.x - radius, centre.y - radius, centre.x + radius, centre.y + radius };
    arrput(labels->taken, box);
}

static bool is_free(const struct plot_labels *labels, const struct plot_box *box)
{
    for (ptrdiff_t i = 0; i < arrlen(labels->taken); i++) {
        const struct plot_box *other = &labels->taken[i];
        if (box->left < other->right && other->left < box->right && box->top < other->bottom &&
            other->top < box->bottom)
            return false;
    }
    return true;
}

bool plot_labels_place(
    struct plot_labels *labels, struct point node, double radius, struct point wish, size_t letters, struct point *at)
{
    double half = LETTER * (double)(letters < PLOT_LABEL_LETTERS ? letters : PLOT_LABEL_LETTERS);
    for (int k = 0; k < SIDES; k++) {
        // The wish first, then sides ever further from it, left and right in turn.
        double turn = (k % 2 ? 1 : -1) * ((k + 1) / 2) * (2 * 3.14159265358979 / SIDES);
        struct point side = { wish.x * cos(turn) - wish.y * sin(turn), wish.x * sin(turn) + wish.y * cos(turn) };
        double x = node.x + (radius + 5 + half) * side.x, y = node.y + (radius + 8) * side.y;
        x = fmin(fmax(x, half + 3), labels->frame->width - half - 3);
        struct plot_box box = { x - half, y - HEIGHT, x + half, y + HEIGHT };
        if (is_free(labels, &box)) {
            arrput(labels->taken, box);
            *at = (struct point){ x, y + 3.6 };
            return true;
        }
    }
    return false;
}

void plot_labels_finish(struct plot_labels *labels)
{
    arrfree(labels->taken);
}
