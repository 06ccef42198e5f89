#include "model/cache.h"

void cache_layout(struct cache *cache, struct arena *arena, const struct model *model)
{
    const uint32_t D = model->config.D;
    const uint32_t rows = cache->rows.address ? cache->h.dim[0] : cache->slots.S * cache->slots.N;
    cache->kvl = tensor_allocate(arena, 2, rows, 3 * D);
    cache->mean = tensor_allocate(arena, 2, cache->means.S, D);
    cache->fixed = tensor_allocate(arena, 2, cache->slots.S, D);
}

static struct linear kvl_of(const struct cache *cache, const struct model *model)
{
    return (struct linear){
        .y = cache->kvl, .x = cache->h, .w = model->kvl, .rows = cache->rows, .max_rows = cache->max_rows
    };
}

static struct linear fixed_of(const struct cache *cache, const struct model *model)
{
    return (struct linear){ .y = cache->fixed, .x = cache->mean, .w = model->params.fixed, .repeat = cache->repeat };
}

void cache_forward(struct cmd *c, const struct cache *cache, const struct model *model)
{
    struct linear kvl = kvl_of(cache, model), fixed = fixed_of(cache, model);
    nn_linear(c, &kvl);
    nn_mean(c, cache->mean, cache->means, cache->h);
    nn_linear(c, &fixed);
}

uint32_t cache_scratch(const struct cache *cache, const struct model *model)
{
    const uint32_t M = model->config.M, D = model->config.D, groups = M * (cache->repeat ? cache->repeat : 1);
    uint64_t kvl = nn_linear_dw_scratch(model->gpu, M, cache->kvl.dim[0] / M, D, 3 * D),
             fixed = nn_linear_dw_scratch(model->gpu, groups, cache->fixed.dim[0] / groups, D, D);
    return (uint32_t)(kvl > fixed ? kvl : fixed);
}

void cache_backward(struct cmd *c, const struct cache *cache, const struct cache_grad *g, const struct model *model,
    const struct model_grad *d, bool add)
{
    struct linear kvl = kvl_of(cache, model), fixed = fixed_of(cache, model);
    struct tensor none = { 0 };
    nn_linear_dw(c, d->params.fixed, none, g->scratch, g->dfixed, &fixed);
    nn_linear_dx(c, g->dmean, g->dfixed, &fixed, false);
    nn_linear_dw(c, d->kvl, none, g->scratch, g->dkvl, &kvl);
    nn_linear_dx(c, g->dh, g->dkvl, &kvl, add);
    nn_mean_back_add(c, g->dh, cache->means, g->dmean);
}
