// Weights for a training that starts from those of another model.
#ifndef TRAIN_INHERIT_H
#define TRAIN_INHERIT_H

#include "model/weights.h"

// Copies every tensor that FROM has under the same name and in the same shape. The names of those of TO that stay as
// they are go to `left`, the names of those of FROM that TO does not have to `dropped`, stb_ds arrays of texts that the
// caller frees. Fails when there is nothing to copy, with both empty.
bool inherit_weights(struct weights *to, const struct weights *from, char ***left, char ***dropped);

#endif
