// The part of a layer after attention, in the encoder and the glimpse:
//     h1 = Norm(mix Wo + r),  h2 = Norm(h1 + ReLU(h1 W1 + b1) W2 + b2)
#ifndef MODEL_BLOCK_H
#define MODEL_BLOCK_H

#include "model/params.h"
#include "nn/nn.h"

struct block {
    struct tensor rows;       // (G, 2) uint: first row in use per group, and their number; none: all
    uint32_t max_rows;        // max rows in use of a group; 0: all
    struct norm norm1, norm2; // their rows; set by the owner
    struct tensor u;          // (R, D): before each normalisation
    struct tensor h1;         // (R, D)
    struct tensor f;          // (R, F)
    struct tensor h2;         // (R, D)
    struct tensor hat1, hat2; // (R, D), saved for the backward pass only
};

// R rows in total. With `save` everything but u is saved for the backward pass. u is allocated unless it is set, to
// memory of at least as many rows.
void block_layout(struct block *block, struct arena *arena, const struct config *config, uint32_t R, bool save);
// r is row source[i] of `residual` for row i; without source, row i.
void block_forward(struct cmd *c, const struct block *block, struct tensor mix, struct tensor residual,
    struct tensor source, const struct layer_params *p);

// Gradients, shared by all blocks, which run one after the other.
struct block_grad {
    struct tensor a; // (R, D): dh2, then the gradient of mix Wo + r
    struct tensor b; // (R, D): dh1, then dmix
    struct tensor f; // (R, F)
    struct tensor scratch;
    struct tensor dstats1, dstats2; // of statistics that another pass computed or uses
};
void block_grad_layout(struct block_grad *grad, struct arena *arena, const struct config *config, uint32_t R);
struct block_grad block_grad_rows(const struct block_grad *grad, uint32_t R); // a view of fewer rows
// Returns the floats of scratch for the weight gradients of R rows in G groups.
uint32_t block_scratch(const struct gpu *gpu, const struct config *config, uint32_t G, uint32_t R);
void block_backward(struct cmd *c, const struct block *block, const struct block_grad *grad, struct tensor mix,
    const struct layer_params *p, const struct layer_params *d);

#endif
