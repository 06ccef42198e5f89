// The embedding glimpse: the top layer once more, with only the nodes that still matter, for every trajectory.
//     mix = softmax over kept keys(S) V,  h = Block(mix, h_old)
#ifndef MODEL_GLIMPSE_H
#define MODEL_GLIMPSE_H

#include "model/cache.h"
#include "model/encoder.h"

struct glimpse {
    const struct encoder *encoder;
    const struct rules *rules;
    struct tensor everyone; // (T, W): every node of the instance; reference dialect: all rows are embedded anew
    struct tensor keys;     // (T, W): the nodes that matter
    struct tensor relevant; // (T, W): the nodes that have rows, the same but for the reference dialect
    struct compact list;    // their rows
    struct tensor occasion; // (T) uint: twice the number of the tracked statistics, MODEL_BATCH only
    struct tensor mix;      // (T most, D)
    struct block block;
    struct cache cache;
};

// A trajectory keeps `most` nodes at the most. With `keep` what is computed stays for the backward pass; what need not
// is shared with the glimpse before, if there is one.
void glimpse_layout(struct glimpse *glimpse, struct arena *arena, const struct encoder *encoder,
    const struct rules *rules, uint32_t most, bool save, const struct glimpse *before);
void glimpse_forward(struct cmd *c, const struct glimpse *glimpse);

// Floats of scratch that the backward pass needs, that of the cache included.
uint32_t glimpse_scratch(const struct glimpse *glimpse);
// From block->a, the gradient of the cache's h, adds to what leads back to the encoder's top layer.
void glimpse_backward(struct cmd *c, const struct glimpse *glimpse, const struct block_grad *block,
    const struct encoder_grad *encoder, const struct params *d);

// The word that glimpse->occasion holds for the OCCASIONth glimpse, from 0; the last that was tracked serves beyond it.
uint32_t glimpse_occasion(const struct glimpse *glimpse, uint32_t occasion);

#endif
