#include "model/cache.h"

void cache_layout(struct cache *cache, struct arena *arena, const struct model *model)
{
    const uint32_t D = model->config.D;
    cache->kvl = tensor_take(arena, 2, cache->slots.S * cache->slots.N, 3 * D);
    cache->mean = tensor_take(arena, 2, cache->means.S, D);
    cache->fixed = tensor_take(arena, 2, cache->slots.S, D);
}

void cache_forward(struct cmd *c, const struct cache *cache, const struct model *model)
{
    nn_linear(c, &(struct linear){ .y = cache->kvl, .x = cache->h, .w = model->kvl, .rows = cache->rows });
    nn_mean(c, cache->mean, cache->means, cache->h);
    nn_linear(c, &(struct linear){ .y = cache->fixed, .x = cache->mean, .w = model->params.fixed });
}
