// The cache that decoders attend to: projections of embedded rows, with a set of rows ("slot") per instance or
// trajectory and decoder.
//     kvl = h Wkvl,  fixed = mean(h) Wfixed
#ifndef MODEL_CACHE_H
#define MODEL_CACHE_H

#include "model/model.h"
#include "nn/nn.h"

struct cache {
    struct tensor h;       // embedded rows; (B N, D) shared by the decoders, or (T N, D)
    struct segments means; // the segments of h
    struct tensor rows;    // (M, 2) uint: first row of h in use per decoder, and their number; none: all
    uint32_t max_rows;     // max rows of h in use per decoder; 0: all
    struct segments slots; // rows of kvl per slot
    uint32_t repeat;       // the slots are that many times those of all decoders; 0: once
    struct tensor kvl;     // (rows, 3D)
    struct tensor mean;    // (means.S, D)
    struct tensor fixed;   // (slots.S, D)
};

// Requires h, means, rows and slots.
void cache_layout(struct cache *cache, struct arena *arena, const struct model *model);
void cache_forward(struct cmd *c, const struct cache *cache, const struct model *model);

struct cache_grad {
    struct tensor dh;     // like h
    struct tensor dkvl;   // like kvl
    struct tensor dfixed; // like fixed
    struct tensor dmean;  // like mean
    struct tensor scratch;
};
// Returns the floats of scratch for the backward pass of a cache.
uint32_t cache_scratch(const struct cache *cache, const struct model *model);
// Computes dh from dkvl and dfixed; with `add` adds to it.
void cache_backward(struct cmd *c, const struct cache *cache, const struct cache_grad *grad, const struct model *model,
    const struct model_grad *d, bool add);

#endif
