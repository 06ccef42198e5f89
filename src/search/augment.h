// The eight symmetries of the unit square: equal instances for a judge, different ones for a network.
#ifndef SEARCH_AUGMENT_H
#define SEARCH_AUGMENT_H

#include "problem/scale.h"

enum { SYMMETRIES = 8 };

// Returns a copy of SCALED with rotated or mirrored coordinates; 0 changes nothing. It shares all other columns: free
// only `coords`.
struct scaled augmented(const struct scaled *scaled, uint32_t symmetry);

#endif
