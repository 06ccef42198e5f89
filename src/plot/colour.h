// Colours for any number of routes, distinguishable on white and on nearly black.
#ifndef PLOT_COLOUR_H
#define PLOT_COLOUR_H

#include <stdint.h>

// Writes "#rrggbb" for route RANK of COUNT. Neighbouring ranks have distant hues.
void plot_colour(uint32_t rank, uint32_t count, char colour[8]);

#endif
