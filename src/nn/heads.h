// What the operations on attention heads share; shaders/lib/head.glsl and spread.glsl are the other half.
#ifndef NN_HEADS_H
#define NN_HEADS_H

#include "nn/nn.h"

struct form;

// Channels of a head; aborts when H heads do not share D channels evenly or get fewer than two each.
uint32_t heads_channels(const char *operation, uint32_t D, uint32_t H);

// May rows of logits be read in pairs with the tiles of this form?
bool heads_paired(const struct form *form, uint32_t N);

// Vectors of N rows that a worker takes at once: up to `most`, evenly shared.
uint32_t heads_vectors(const struct cmd *c, uint32_t N, uint32_t most);

#endif
