// The embedding glimpse: the top layer again over the relevant nodes only, for every trajectory.
//     mix = softmax over relevant keys(S) V,  h = Block(mix, h_old)
// Glimpses do not depend on each other, only on the encoder and on what is visited. So consecutive ones lie in one
// stack: each is computed when it is due, but the backward pass treats all as one, with I T slots instead of T.
#ifndef MODEL_GLIMPSE_H
#define MODEL_GLIMPSE_H

#include "model/cache.h"
#include "model/encoder.h"

// A stack of glimpses, or one of them: its part of each tensor.
struct glimpse {
    const struct encoder *encoder;
    const struct rules *rules;
    uint32_t count, first;  // glimpses I; of one, its index in the stack
    struct tensor keys;     // (I T, W): the relevant nodes
    struct tensor relevant; // (I T, W): nodes with rows; equal to keys in the native dialect
    struct tensor instance; // (I T) uint
    struct compact list;    // their rows
    struct tensor occasion; // (I T) uint: twice the index of the tracked statistics; MODEL_BATCH only
    struct tensor mix;      // (rows, D)
    struct block block;
    struct cache cache;
};

// Tensors that glimpses share with others, before and after them.
struct glimpse_shared {
    struct tensor everyone; // (max I T, W): every node of the instance; the reference dialect embeds all rows again
    struct tensor instance; // (max I T) uint
    struct tensor u;        // (max rows, D)
};
// Lays out a stack of COUNT glimpses, in which a trajectory has at most max_rows[i] relevant nodes. With `save`
// activations are saved for the backward pass.
void glimpse_layout(struct glimpse *stack, struct arena *arena, const struct encoder *encoder,
    const struct rules *rules, const uint32_t *max_rows, uint32_t count, bool save,
    const struct glimpse_shared *shared);
// Returns glimpse i of a stack.
struct glimpse glimpse_of(const struct glimpse *stack, uint32_t i, uint32_t max_rows);
// Of one. The first one of a stack clears what the others have not filled yet.
void glimpse_forward(struct cmd *c, const struct glimpse *glimpse, const struct glimpse *stack);

// Returns the floats of scratch for the backward pass, including that of the cache.
uint32_t glimpse_scratch(const struct glimpse *glimpse);
// Of a stack: from block->a, the gradient of the cache's h, adds to the gradients of the encoder's top layer.
void glimpse_backward(struct cmd *c, const struct glimpse *glimpse, const struct block_grad *block,
    const struct encoder_grad *encoder, const struct params *d);

// Returns the word of glimpse->occasion for glimpse OCCASION, from 0; later ones use the last tracked one.
uint32_t glimpse_occasion(const struct glimpse *glimpse, uint32_t occasion);

#endif
