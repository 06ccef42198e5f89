#include "model/block.h"

void block_layout(struct block *block, struct arena *arena, const struct config *config, uint32_t R, bool save)
{
    const uint32_t D = config->D, F = config->F;
    block->u = block->u.address ? tensor_slice(block->u, 0, R) : tensor_allocate(arena, 2, R, D);
    block->h1 = tensor_allocate(arena, 2, R, D);
    block->f = tensor_allocate(arena, 2, R, F);
    block->h2 = tensor_allocate(arena, 2, R, D);
    if (save) {
        block->hat1 = tensor_allocate(arena, 2, R, D);
        block->hat2 = tensor_allocate(arena, 2, R, D);
    }
}

static struct linear out_of(const struct block *b, struct tensor mix, const struct layer_params *p)
{
    return (struct linear){ .y = b->u, .x = mix, .w = p->out, .rows = b->rows, .max_rows = b->max_rows };
}

static struct linear ff1_of(const struct block *b, const struct layer_params *p)
{
    return (struct linear){
        .y = b->f, .x = b->h1, .w = p->ff1, .bias = p->ff1_bias, .relu = true, .rows = b->rows, .max_rows = b->max_rows
    };
}

static struct linear ff2_of(const struct block *b, const struct layer_params *p)
{
    return (struct linear){
        .y = b->u, .x = b->f, .w = p->ff2, .bias = p->ff2_bias, .rows = b->rows, .max_rows = b->max_rows
    };
}

void block_forward(struct cmd *c, const struct block *b, struct tensor mix, struct tensor residual,
    struct tensor source, const struct layer_params *p)
{
    struct linear out = out_of(b, mix, p), ff1 = ff1_of(b, p), ff2 = ff2_of(b, p);
    struct tensor none = { 0 };
    out.residual = residual;
    out.source = source;
    ff2.residual = b->h1;
    nn_linear(c, &out); // u = mix Wo + r
    nn_norm(c, b->h1, b->hat1, &b->norm1, b->u, none, p->norm1.gain, p->norm1.bias);
    nn_linear(c, &ff1); // f = ReLU(h1 W1 + b1)
    nn_linear(c, &ff2); // u = f W2 + b2 + h1
    nn_norm(c, b->h2, b->hat2, &b->norm2, b->u, none, p->norm2.gain, p->norm2.bias);
}

void block_grad_layout(struct block_grad *g, struct arena *arena, const struct config *config, uint32_t R)
{
    g->a = tensor_allocate(arena, 2, R, config->D);
    g->b = tensor_allocate(arena, 2, R, config->D);
    g->f = tensor_allocate(arena, 2, R, config->F);
}

struct block_grad block_grad_rows(const struct block_grad *g, uint32_t R)
{
    struct block_grad rows = *g;
    rows.a.dim[0] = rows.b.dim[0] = rows.f.dim[0] = R;
    return rows;
}

uint32_t block_scratch(const struct gpu *gpu, const struct config *config, uint32_t G, uint32_t R)
{
    const uint32_t D = config->D, F = config->F;
    uint64_t wide = nn_linear_dw_scratch(gpu, G, R / G, D, F), tall = nn_linear_dw_scratch(gpu, G, R / G, F, D),
             square = nn_linear_dw_scratch(gpu, G, R / G, D, D), largest = wide > tall ? wide : tall;
    return (uint32_t)(largest > square ? largest : square);
}

void block_backward(struct cmd *c, const struct block *b, const struct block_grad *g, struct tensor mix,
    const struct layer_params *p, const struct layer_params *d)
{
    struct linear out = out_of(b, mix, p), ff1 = ff1_of(b, p), ff2 = ff2_of(b, p);
    struct tensor none = { 0 };
    nn_norm_back(c, g->b, d->norm2.gain, d->norm2.bias, g->dstats2, g->a, b->hat2, &b->norm2, p->norm2.gain);
    nn_linear_dw(c, d->ff2, d->ff2_bias, g->scratch, g->b, &ff2);
    nn_linear_dx(c, g->f, g->b, &ff2, false);
    nn_linear_dw(c, d->ff1, d->ff1_bias, g->scratch, g->f, &ff1);
    nn_linear_dx(c, g->b, g->f, &ff1, true); // dh1; the residual's part is there already
    nn_norm_back(c, g->a, d->norm1.gain, d->norm1.bias, g->dstats1, g->b, b->hat1, &b->norm1, p->norm1.gain);
    nn_linear_dw(c, d->out, none, g->scratch, g->a, &out);
    nn_linear_dx(c, g->b, g->a, &out, false);
}
