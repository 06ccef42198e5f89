// The embedding glimpse: the top layer again over the relevant nodes only, for every trajectory.
//     mix = softmax over relevant keys(S) V,  h = Block(mix, h_old)
#ifndef MODEL_GLIMPSE_H
#define MODEL_GLIMPSE_H

#include "model/cache.h"
#include "model/encoder.h"

struct glimpse {
    const struct encoder *encoder;
    const struct rules *rules;
    struct tensor everyone; // (T, W): every node of the instance; the reference dialect embeds all rows again
    struct tensor keys;     // (T, W): the relevant nodes
    struct tensor relevant; // (T, W): nodes with rows; equal to keys in the native dialect
    struct compact list;    // their rows
    struct tensor occasion; // (T) uint: twice the index of the tracked statistics; MODEL_BATCH only
    struct tensor mix;      // (T most, D)
    struct block block;
    struct cache cache;
};

// A trajectory has at most `most` relevant nodes. With `save` activations are saved for the backward pass; other memory
// is shared with the previous glimpse, if there is one.
void glimpse_layout(struct glimpse *glimpse, struct arena *arena, const struct encoder *encoder,
    const struct rules *rules, uint32_t most, bool save, const struct glimpse *before);
void glimpse_forward(struct cmd *c, const struct glimpse *glimpse);

// Returns the floats of scratch for the backward pass, including that of the cache.
uint32_t glimpse_scratch(const struct glimpse *glimpse);
// From block->a, the gradient of the cache's h, adds to the gradients of the encoder's top layer.
void glimpse_backward(struct cmd *c, const struct glimpse *glimpse, const struct block_grad *block,
    const struct encoder_grad *encoder, const struct params *d);

// Returns the word of glimpse->occasion for glimpse OCCASION, from 0; later ones use the last tracked one.
uint32_t glimpse_occasion(const struct glimpse *glimpse, uint32_t occasion);

#endif
