// Recipes: defaults of a training that go together.
#ifndef TRAIN_RECIPE_H
#define TRAIN_RECIPE_H

#include "mdam/mdam.h"
#include "problem/problem.h"

// Fills in what the caller left open, by options->recipe. HAS_INIT: the training starts from a model, whose
// normalisation stays.
void recipe_fill(struct mdam_train_options *options, const struct problem *problem, bool has_init);

#endif
