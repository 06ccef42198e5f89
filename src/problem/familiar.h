// Compares an instance with the distribution that a model was trained on.
#ifndef PROBLEM_FAMILIAR_H
#define PROBLEM_FAMILIAR_H

#include "problem/problem.h"

// Appends one sentence for each difference between INSTANCE and the distribution TRAINED to the stb_ds array; the
// caller frees the texts.
void familiar_warn(const struct distribution *trained, const struct instance *instance, char ***warnings);

#endif
