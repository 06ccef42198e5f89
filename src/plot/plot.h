// Pictures of instances and solutions as SVG: a card of its own that follows the reader's light or dark scheme.
#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "problem/problem.h"
#include "util/text.h"

// SOLUTION and VERDICT may be NULL: then only the instance is drawn. A solution need not be feasible; stops that do not
// exist are left out.
void plot_write(
    struct text *svg, const struct instance *instance, const struct solution *solution, const struct verdict *verdict);

#endif
