// Variants of instances: matrices of lengths, open routes, few vehicles, given ends.
#ifndef TESTS_SUPPORT_VARIANTS_H
#define TESTS_SUPPORT_VARIANTS_H

#include "problem/problem.h"

enum variant {
    VARIANT_OPEN = 1,
    VARIANT_MATRIX = 2,  // directed
    VARIANT_NOWHERE = 4, // with a matrix: no coordinates
    VARIANT_LONLAT = 8,
    VARIANT_FLEET = 16, // as few vehicles as sums of loads allow
    VARIANT_START = 32, // without a depot
    VARIANT_END = 64,
};
enum { VARIANTS = 128 };

// Makes the variant of a generated instance, as far as its problem has it, and checks it.
void make_variant(struct instance *instance, unsigned variant, uint32_t seed);

// The best objective of all plans, by the judge: tries each. NAN: no plan is feasible. Not for split loads.
double best_of_all(const struct instance *instance);

#endif
