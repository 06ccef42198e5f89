// Untrained weights: uniform within 1 / sqrt(inputs of the unit), as PyTorch draws those of the released program.
#ifndef MODEL_INITIAL_H
#define MODEL_INITIAL_H

#include "model/weights.h"

// CONFIG has passed config_check. A tensor's numbers depend on the seed, on the tensor and, for decoders' weights, on
// the decoder, but not on the number of decoders.
void weights_draw(struct weights *weights, const struct config *config, uint64_t seed);

#endif
