// Pictures for tests.
#ifndef TESTS_PLOT_DRAWN_H
#define TESTS_PLOT_DRAWN_H

#include "util/text.h"

// The picture of an instance and a solution (or NULL) typed as JSON, after a look whether it is well formed.
struct text plot_drawn(const char *instance, const char *solution);

#endif
