// What the operations on attention heads share; shaders/lib/head.glsl and spread.glsl are the other half.
#ifndef NN_HEADS_H
#define NN_HEADS_H

#include "nn/nn.h"

// Channels of a head; aborts when H heads do not share D channels evenly or get fewer than two each.
uint32_t heads_channels(const char *operation, uint32_t D, uint32_t H);

// May a kernel be long and keep much in private memory? GPUs have no room; the heap flavour takes minutes to compile.
bool heads_roomy(const struct cmd *c);

// Channels that shaders/lib/head.glsl unrolls: few where every access is long code, on a CPU in the heap flavour.
uint32_t heads_unroll(const struct cmd *c);

// Rows that shaders/lib/spread.glsl spreads at once: no more than a GPU has scalar registers for.
uint32_t heads_tile(const struct cmd *c);

// May rows of logits be read in pairs with such tiles?
bool heads_paired(const struct cmd *c, uint32_t N);

// Few enough nodes and channels for a lane to keep the keys and values of a head to itself, where there is room.
bool heads_small(const struct cmd *c, uint32_t N, uint32_t DK);

// Vectors of N rows that a worker takes at once: up to `most` where there is room, evenly shared; else one.
uint32_t heads_vectors(const struct cmd *c, uint32_t N, uint32_t most);

#endif
