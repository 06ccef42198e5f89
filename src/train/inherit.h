// Weights for a training that starts from those of another model.
#ifndef TRAIN_INHERIT_H
#define TRAIN_INHERIT_H

#include "model/weights.h"

// Copies every tensor that FROM has under the same name and in the same shape. The names of those of TO that stay as
// they are go to `left` (stb_ds array of names within TO's list, freed by the caller with `list`). Fails when there is
// nothing to copy.
bool inherit_weights(struct weights *to, const struct weights *from, char ***left);

#endif
