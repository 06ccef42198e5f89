// What follows attention in a layer, in the encoder and in the glimpse alike:
//     h1 = Norm(mix Wo + r),  h2 = Norm(h1 + ReLU(h1 W1 + b1) W2 + b2)
#ifndef MODEL_BLOCK_H
#define MODEL_BLOCK_H

#include "model/params.h"
#include "nn/nn.h"

struct block {
    struct tensor rows;       // (G) uint: rows in use of each group; none: all
    struct norm norm1, norm2; // over which rows; set by the owner
    struct tensor u, h1;      // (R, D)
    struct tensor f;          // (R, F)
    struct tensor g, h2;      // (R, D)
    struct tensor hat1, hat2; // (R, D), kept for the backward pass only
};

// R rows in all. With `keep` everything stays for the backward pass.
void block_layout(struct block *block, struct arena *arena, const struct config *config, uint32_t R, bool keep);
// r: `residual`, its row source[i] for row i; without source, row i.
void block_forward(struct cmd *c, const struct block *block, struct tensor mix, struct tensor residual,
    struct tensor source, const struct layer_params *p);

#endif
