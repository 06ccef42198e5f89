// Checks of what is chosen or offered, for the kernels that do it themselves.
#ifndef NN_CHOOSE_H
#define NN_CHOOSE_H

#include "nn/nn.h"

// Returns CHOOSE_... (shaders/args.h).
uint32_t choose_checked(
    struct tensor action, struct tensor chosen, struct tensor total, struct tensor logp, const struct choose *how);
void offer_check(const struct offer *to, struct tensor logp);

#endif
