// Whether an instance is like those of a distribution.
#ifndef PROBLEM_FAMILIAR_H
#define PROBLEM_FAMILIAR_H

#include "problem/problem.h"

// One sentence for each way in which it is not like those a model was TRAINED on, appended to the stb_ds array; the
// caller frees them.
void familiar_warn(const struct distribution *trained, const struct instance *instance, char ***warnings);

#endif
