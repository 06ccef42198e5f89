#include "model/block.h"

void block_layout(struct block *block, struct arena *arena, const struct config *config, uint32_t R, bool keep)
{
    const uint32_t D = config->D, F = config->F;
    block->u = tensor_take(arena, 2, R, D);
    block->h1 = tensor_take(arena, 2, R, D);
    block->f = tensor_take(arena, 2, R, F);
    block->g = keep ? tensor_take(arena, 2, R, D) : block->u;
    block->h2 = tensor_take(arena, 2, R, D);
    if (keep) {
        block->hat1 = tensor_take(arena, 2, R, D);
        block->hat2 = tensor_take(arena, 2, R, D);
    }
}

void block_forward(struct cmd *c, const struct block *b, struct tensor mix, struct tensor residual,
    struct tensor source, const struct layer_params *p)
{
    struct tensor none = { 0 };
    nn_linear(c, &(struct linear){ .y = b->u,
                     .x = mix,
                     .w = p->out,
                     .residual = residual,
                     .source = source,
                     .rows = b->rows }); // u = mix Wo + r
    nn_norm(c, b->h1, b->hat1, &b->norm1, b->u, none, p->norm1.gain, p->norm1.bias);
    nn_linear(c, &(struct linear){ .y = b->f,
                     .x = b->h1,
                     .w = p->ff1,
                     .bias = p->ff1_bias,
                     .relu = true,
                     .rows = b->rows }); // f = ReLU(h1 W1 + b1)
    nn_linear(c, &(struct linear){ .y = b->g,
                     .x = b->f,
                     .w = p->ff2,
                     .bias = p->ff2_bias,
                     .residual = b->h1,
                     .rows = b->rows }); // g = f W2 + b2 + h1
    nn_norm(c, b->h2, b->hat2, &b->norm2, b->g, none, p->norm2.gain, p->norm2.bias);
}
