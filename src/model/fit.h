// Compares an instance with a model's training.
#ifndef MODEL_FIT_H
#define MODEL_FIT_H

#include "model/config.h"

// Appends one sentence per difference to the stb_ds array; the caller frees them.
void fit_warn(const struct config *config, const struct instance *instance, char ***warnings);

#endif
