// Draws curve.svg: the costs of a training over the number of instances, as a card like plot/plot.h.
#ifndef PLOT_CURVE_H
#define PLOT_CURVE_H

#include "problem/problem.h"
#include "util/text.h"

struct curve_point {
    double instances, cost;
};

struct curve {
    const struct problem *problem;
    uint32_t n_min, n_max;                   // customers
    struct curve_point *costs, *validations; // stb_ds arrays that the caller owns
};

void curve_write(struct text *svg, const struct curve *curve);

#endif
