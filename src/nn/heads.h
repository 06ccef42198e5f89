// Shared by operations on attention heads; shaders/lib/head.glsl and spread.glsl are the device side.
#ifndef NN_HEADS_H
#define NN_HEADS_H

#include "nn/nn.h"

struct form;

// Returns the channels of a head; aborts unless H divides D into at least two channels each.
uint32_t heads_channels(const char *operation, uint32_t D, uint32_t H);

// Returns whether rows of logits may be read in pairs with the tiles of this form.
bool heads_paired(const struct form *form, uint32_t N);

// Returns the vectors of N rows that a worker processes at once: up to `max`, evenly divided.
uint32_t heads_vectors(const struct cmd *c, uint32_t N, uint32_t max);

#endif
