#include "model/queries.h"

#include "nn/nn.h"

void queries_layout(struct queries *q, struct arena *arena, const struct model *model, uint32_t rows)
{
    const uint32_t M = model->config.M, D = model->config.D;
    q->current = tensor_allocate(arena, 2, M * rows, D);
    if (model->config.problem->context)
        return;
    q->first = tensor_allocate(arena, 2, M * rows, D);
    q->start = tensor_allocate(arena, 2, M, D);
}

// Returns `rows` rows of the decoders' step weights (M, C, D), from row `from` on.
static struct tensor rows_of(struct tensor step, uint32_t from, uint32_t rows)
{
    step.address += 4ull * from * step.dim[2];
    step.dim[1] = rows;
    return step;
}

static struct linear product(struct tensor y, struct tensor x, struct tensor step, uint32_t from)
{
    return (struct linear){ .y = y, .x = x, .w = rows_of(step, from, tensor_cols(&x)), .stride = step.dim[1] };
}

// Lists the products that make up the queries: at most 3.
static uint32_t products_of(
    struct linear list[3], const struct queries *q, struct tensor h, struct tensor step, struct tensor placeholder)
{
    const uint32_t D = tensor_cols(&h);
    list[0] = product(q->current, h, step, q->first.address ? D : 0);
    if (!q->first.address)
        return 1;
    list[1] = product(q->first, h, step, 0);
    list[2] = product(q->start, (struct tensor){ placeholder.address, 2, { 1, 2 * D } }, step, 0);
    return 3;
}

void queries_forward(struct cmd *c, const struct queries *q, const struct model *model, struct tensor h)
{
    struct linear list[3];
    const uint32_t count = products_of(list, q, h, model->params.step, model->params.placeholder);
    for (uint32_t i = 0; i < count; i++)
        nn_linear(c, &list[i]);
}

struct query queries_use(const struct queries *q, struct tensor fixed, struct tensor step, uint32_t N)
{
    struct query query = { .first = q->first, .current = q->current, .fixed = fixed, .extra = q->start, .N = N };
    if (!q->first.address) { // the scalar's weights follow those of the node
        const uint32_t D = step.dim[2];
        query.extra = (struct tensor){ rows_of(step, D, 1).address, 2, { step.dim[0], D } };
        query.stride = step.dim[1] * D;
    }
    return query;
}

uint32_t queries_scratch(const struct queries *q, const struct model *model)
{
    const uint32_t M = model->config.M, D = model->config.D;
    uint64_t rows = nn_linear_dw_scratch(model->gpu, M, q->current.dim[0] / M, D, D),
             start = nn_linear_dw_scratch(model->gpu, M, 1, 2 * D, D);
    return (uint32_t)(rows > start ? rows : start);
}

void queries_backward(struct cmd *c, const struct queries *q, const struct queries *grad, const struct model *model,
    const struct model_grad *d, struct tensor dh, struct tensor h, struct tensor scratch)
{
    struct linear list[3], to[3];
    const struct tensor none = { 0 };
    const uint32_t count = products_of(list, q, h, model->params.step, model->params.placeholder);
    products_of(to, grad, dh, d->params.step, d->params.placeholder);
    for (uint32_t i = 0; i < count; i++) {
        nn_linear_dw(c, to[i].w, none, scratch, to[i].y, &list[i]);
        nn_linear_dx(c, to[i].x, to[i].y, &list[i], true);
    }
}
