// The encoder: L layers of attention over the nodes of each instance. The top layer's logits, values and input are
// saved for the glimpse.
#ifndef MODEL_ENCODER_H
#define MODEL_ENCODER_H

#include "env/rules.h"
#include "model/block.h"
#include "model/model.h"

struct encoder_layer {
    struct tensor in;     // (B N, D)
    struct tensor qkv;    // (B N, 3D)
    struct tensor logits; // (B, H, N, N)
    struct tensor mix;    // (B N, D)
    struct block block;
};

struct encoder {
    const struct model *model;
    bool live; // as in struct view
    const struct batch *batch;
    struct segments seg;    // the instances
    struct tensor features; // (B N, FEATURES)
    struct tensor h0;       // (B N, D)
    struct encoder_layer layers[MAX_LAYERS];
    struct tensor h; // (B N, D): the embeddings
};

// With `save` every layer has its own memory for the backward pass; otherwise they share it.
void encoder_layout(
    struct encoder *encoder, struct arena *arena, const struct view *view, const struct batch *batch, bool save);
void encoder_forward(struct cmd *c, const struct encoder *encoder);
const struct encoder_layer *encoder_top(const struct encoder *encoder);

struct encoder_grad {
    struct block_grad block; // a: initially dh; dstats: of the top layer's statistics, if the glimpse uses them
    struct tensor dqkv;      // (B N, 3D)
    // Gradients from the glimpses to the top layer; none without glimpses.
    struct tensor din;     // (B N, D)
    struct tensor dlogits; // (B, H, N, N)
    struct tensor dv;      // (B N, D)
};
// Returns the floats of scratch for the backward pass.
uint32_t encoder_scratch(const struct encoder *encoder);
void encoder_backward(
    struct cmd *c, const struct encoder *encoder, const struct encoder_grad *grad, const struct params *d);

#endif
