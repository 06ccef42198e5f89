// Colours for any number of routes, told apart on a white and on a nearly black ground.
#ifndef PLOT_COLOUR_H
#define PLOT_COLOUR_H

#include <stdint.h>

// "#rrggbb" of the RANK-th of COUNT routes. Neighbours in rank are far apart in hue.
void plot_colour(uint32_t rank, uint32_t count, char colour[8]);

#endif
