// Initialises weights from those of another model.
#ifndef TRAIN_INHERIT_H
#define TRAIN_INHERIT_H

#include "model/weights.h"

// Copies every tensor that FROM has under the same name and shape. `left` gets the names in TO that are not copied,
// `dropped` the names in FROM that TO lacks, stb_ds arrays of texts that the caller frees. Fails if there is nothing to
// copy, with both empty.
bool inherit_weights(struct weights *to, const struct weights *from, char ***left, char ***dropped);

#endif
