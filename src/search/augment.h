// The eight symmetries of the unit square: the same instance for a judge, another one for a network.
#ifndef SEARCH_AUGMENT_H
#define SEARCH_AUGMENT_H

#include "problem/scale.h"

enum { SYMMETRIES = 8 };

// A copy of SCALED with its coordinates turned or mirrored; 0 changes nothing. Shares the other columns: only `coords`
// is to be freed.
struct scaled augmented(const struct scaled *scaled, uint32_t symmetry);

#endif
