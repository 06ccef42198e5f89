// What the decoders point at: projections of embedded rows, a set of rows ("slot") for every instance or trajectory and
// decoder.
//     kvl = h Wkvl,  fixed = mean(h) Wfixed
#ifndef MODEL_CACHE_H
#define MODEL_CACHE_H

#include "model/model.h"
#include "nn/nn.h"

struct cache {
    struct tensor h;       // the embedded rows; (B N, D) shared by the decoders, or (T N, D)
    struct segments means; // the segments of h
    struct tensor rows;    // (M) uint: rows of h in use for each decoder; none: all
    struct segments slots; // rows of kvl of each slot
    struct tensor kvl;     // (rows, 3D)
    struct tensor mean;    // (means.S, D)
    struct tensor fixed;   // (slots.S, D)
};

// h, means, rows and slots are set.
void cache_layout(struct cache *cache, struct arena *arena, const struct model *model);
void cache_forward(struct cmd *c, const struct cache *cache, const struct model *model);

#endif
