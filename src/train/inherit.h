// Weights for a training that starts from those of another model.
#ifndef TRAIN_INHERIT_H
#define TRAIN_INHERIT_H

#include "model/weights.h"

// Copies every tensor that FROM has under the same name and in the same shape. The names of those of TO that stay as
// they are go to `left`, an stb_ds array of texts that the caller frees. Fails when there is nothing to copy.
bool inherit_weights(struct weights *to, const struct weights *from, char ***left);

#endif
