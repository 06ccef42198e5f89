// What follows attention in a layer, in the encoder and in the glimpse alike:
//     h1 = Norm(mix Wo + r),  h2 = Norm(h1 + ReLU(h1 W1 + b1) W2 + b2)
#ifndef MODEL_BLOCK_H
#define MODEL_BLOCK_H

#include "model/params.h"
#include "nn/nn.h"

struct block {
    struct tensor rows;       // (G) uint: rows in use of each group; none: all
    struct norm norm1, norm2; // over which rows; set by the owner
    struct tensor u;          // (R, D): before either normalisation
    struct tensor h1;         // (R, D)
    struct tensor f;          // (R, F)
    struct tensor h2;         // (R, D)
    struct tensor hat1, hat2; // (R, D), kept for the backward pass only
};

// R rows in all. With `keep` everything but u stays for the backward pass. u is taken unless it is set.
void block_layout(struct block *block, struct arena *arena, const struct config *config, uint32_t R, bool save);
// r: `residual`, its row source[i] for row i; without source, row i.
void block_forward(struct cmd *c, const struct block *block, struct tensor mix, struct tensor residual,
    struct tensor source, const struct layer_params *p);

// Gradients on the way back, shared by all blocks that run one after the other.
struct block_grad {
    struct tensor a; // (R, D): dh2, then that of mix Wo + r
    struct tensor b; // (R, D): dh1, then dmix
    struct tensor f; // (R, F)
    struct tensor scratch;
    struct tensor dstats1, dstats2; // of the statistics, where they come from elsewhere or serve elsewhere
};
void block_grad_layout(struct block_grad *grad, struct arena *arena, const struct config *config, uint32_t R);
struct block_grad block_grad_rows(const struct block_grad *grad, uint32_t R); // the same for fewer rows
// Floats of scratch that the weight gradients of R rows in G groups need.
uint32_t block_scratch(const struct gpu *gpu, const struct config *config, uint32_t G, uint32_t R);
void block_backward(struct cmd *c, const struct block *block, const struct block_grad *grad, struct tensor mix,
    const struct layer_params *p, const struct layer_params *d);

#endif
