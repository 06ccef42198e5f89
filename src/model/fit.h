// Whether an instance is like those that a model was trained on.
#ifndef MODEL_FIT_H
#define MODEL_FIT_H

#include "model/config.h"

// One sentence for each way in which it is not, appended to the stb_ds array; the caller frees them.
void fit_warn(const struct config *config, const struct instance *instance, char ***warnings);

#endif
