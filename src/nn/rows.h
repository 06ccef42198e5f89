// Shared by operations on rows of D channels; shaders/lib/rows.glsl is the device side.
#ifndef NN_ROWS_H
#define NN_ROWS_H

#include "nn/nn.h"

// Returns SPREAD of that file: workers that share the channels of a row.
uint32_t rows_spread(const struct cmd *c, uint32_t D);

// Aborts unless a dense list of segments fits into the rows of `x`.
void rows_expect(const char *operation, const struct segments *seg, const struct tensor *x);
// Returns the max floats of x in the rows of all segments, for estimates of cost.
double rows_floats(const struct segments *seg, const struct tensor *x);

#endif
