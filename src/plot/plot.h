// Plots instances and solutions as SVG cards that follow the reader's light or dark scheme.
#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "problem/problem.h"
#include "util/text.h"

// With SOLUTION and VERDICT NULL only the instance is drawn. A solution need not be feasible; stops that do not exist
// are skipped.
void plot_write(
    struct text *svg, const struct instance *instance, const struct solution *solution, const struct verdict *verdict);

#endif
