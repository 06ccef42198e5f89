// The nodes' contributions to the decoders' queries, multiplied with the step weights in advance: if all decisions use
// the same embeddings, that is less work than a product per decision.
//     first = h Wstep[0 .. D),  current = h Wstep[D .. 2D),  start = placeholder Wstep
// or, with a depot, current = h Wstep[0 .. D).
#ifndef MODEL_QUERIES_H
#define MODEL_QUERIES_H

#include "model/cache.h"

struct queries {
    struct tensor first;   // (M rows of h, D), problems without a depot
    struct tensor current; // (M rows of h, D)
    struct tensor start;   // (M, D), problems without a depot
};

// `rows` of h, which all decoders share.
void queries_layout(struct queries *queries, struct arena *arena, const struct model *model, uint32_t rows);
void queries_forward(struct cmd *c, const struct queries *queries, const struct model *model, struct tensor h);

// Returns the operation that computes queries from them, without its state, scalar and repeat. `step` are the model's
// weights, or their gradients in the backward pass.
struct query queries_use(const struct queries *queries, struct tensor fixed, struct tensor step, uint32_t N);

// Returns the floats of scratch for the backward pass.
uint32_t queries_scratch(const struct queries *queries, const struct model *model);
// Adds from the gradients `grad` to those of the weights and to dh.
void queries_backward(struct cmd *c, const struct queries *queries, const struct queries *grad,
    const struct model *model, const struct model_grad *d, struct tensor dh, struct tensor h, struct tensor scratch);

#endif
