#include "model/glimpse.h"

#include "gpu/gpu.h"

// Selects the statistics that normalise the rows: `which` is 0 or 1.
static void norm_layout(struct norm *norm, struct arena *arena, const struct glimpse *g, struct segments seg, int which)
{
    const struct model *model = g->encoder->model;
    const struct config *config = &model->config;
    const struct block *plain = &encoder_top(g->encoder)->block;
    const uint32_t T = g->rules->T, N = seg.N, D = config->D;
    *norm = (struct norm){ .seg = seg, .G = config->M };
    switch (config->norm) {
    case MODEL_INSTANCE:
        if (config->dialect == DIALECT_NATIVE) {
            norm->mode = NORM_GIVEN; // those of the instance's plain pass
            norm->stats = which ? plain->norm2.stats : plain->norm1.stats;
            norm->index = g->rules->instance;
            norm->parts = config->M;
            norm->run = T / config->M / g->rules->batch->B;
        } else {
            norm->mode = NORM_INSTANCE;
            norm->stats = tensor_allocate(arena, 3, T, 2, D);
        }
        break;
    case MODEL_LAYER:
        norm->mode = NORM_LAYER;
        norm->stats = tensor_allocate(arena, 2, T * N, 2);
        break;
    case MODEL_BATCH_LIVE:
        norm->mode = NORM_BATCH;
        norm->stats = tensor_allocate(arena, 3, config->M, 2, D);
        break;
    case MODEL_RUNNING: // trained without a glimpse: there are only plain statistics
        *norm = which ? plain->norm2 : plain->norm1;
        norm->seg = seg;
        break;
    case MODEL_BATCH:
        if (g->encoder->live) { // rows of all decoders together
            norm->mode = NORM_BATCH;
            norm->G = 1;
            norm->stats = tensor_allocate(arena, 3, 1, 2, D);
            break;
        }
        norm->mode = NORM_GIVEN;
        // Entry 2 o + which, counted from the first of `which`.
        norm->stats = (struct tensor){ model->stats.glimpse.address + 4ull * (uint32_t)which * 2 * D, 3,
            { 2 * config->O - (uint32_t)which, 2, D } };
        norm->index = g->occasion;
        break;
    }
}

void glimpse_layout(struct glimpse *g, struct arena *arena, const struct encoder *encoder, const struct rules *rules,
    uint32_t most, bool save, const struct glimpse *before)
{
    const struct config *config = &encoder->model->config;
    const uint32_t T = rules->T, N = rules->batch->N, D = config->D, W = (N + 31) / 32;
    *g = (struct glimpse){ .encoder = encoder, .rules = rules };
    if (before) {
        g->everyone = before->everyone;
        g->block.u = before->block.u;
    }
    if (config->dialect == DIALECT_REFERENCE && !before)
        g->everyone = tensor_allocate(arena, 2, T, W);
    if (config->norm == MODEL_BATCH)
        g->occasion = tensor_allocate(arena, 1, T);
    g->keys = tensor_allocate(arena, 2, T, W);
    g->relevant = g->everyone.address ? g->everyone : g->keys;
    nn_compact_layout(&g->list, arena, T, most, config->M);
    g->mix = tensor_allocate(arena, 2, T * most, D);
    block_layout(&g->block, arena, config, T * most, save);
    g->block.rows = g->list.total;
    struct segments seg = { .S = T, .N = most, .first = g->list.first.address, .rows = g->list.rows.address };
    norm_layout(&g->block.norm1, arena, g, seg, 0);
    norm_layout(&g->block.norm2, arena, g, seg, 1);
    struct tensor scratch = tensor_allocate(arena, 1, (uint32_t)nn_norm_scratch(&g->block.norm1, D));
    g->block.norm1.scratch = g->block.norm2.scratch = scratch;
    g->cache = (struct cache){ .h = g->block.h2, .means = seg, .rows = g->list.total, .slots = seg };
    cache_layout(&g->cache, arena, encoder->model);
}

void glimpse_forward(struct cmd *c, const struct glimpse *g)
{
    const struct encoder_layer *top = encoder_top(g->encoder);
    const struct model *model = g->encoder->model;
    cmd_label(c, "glimpse/rows");
    nn_copy(c, g->keys, g->rules->keys);
    nn_compact(c, &g->list, g->relevant, g->rules->instance, g->rules->batch->N);
    cmd_label(c, "glimpse/layer");
    nn_reattend(c, g->mix, top->logits, top->qkv, g->keys, g->rules->instance, g->list.node, g->block.norm1.seg,
        model->config.H);
    block_forward(c, &g->block, g->mix, top->in, g->list.source, &model->params.layers[model->config.L - 1]);
    cmd_label(c, "glimpse/cache");
    cache_forward(c, &g->cache, model);
}

uint32_t glimpse_occasion(const struct glimpse *g, uint32_t occasion)
{
    uint32_t last = g->encoder->model->config.O - 1;
    return 2 * (occasion < last ? occasion : last);
}

uint32_t glimpse_scratch(const struct glimpse *g)
{
    const struct model *model = g->encoder->model;
    uint32_t block = block_scratch(model->gpu, &model->config, model->config.M, g->mix.dim[0]),
             cache = cache_scratch(&g->cache, model);
    return block > cache ? block : cache;
}

void glimpse_backward(struct cmd *c, const struct glimpse *g, const struct block_grad *block,
    const struct encoder_grad *encoder, const struct params *d)
{
    const struct encoder_layer *top = encoder_top(g->encoder);
    const struct config *config = &g->encoder->model->config;
    const uint32_t L = config->L, M = config->M, B = g->rules->batch->B, S = g->rules->T / M / B;
    block_backward(c, &g->block, block, g->mix, &g->encoder->model->params.layers[L - 1], &d->layers[L - 1]);
    nn_compact_back_add(c, encoder->din, block->a, &g->list, g->relevant, M, B, S);
    nn_reattend_back_add(c, encoder->dlogits, encoder->dv, block->b, top->logits, top->qkv, g->keys, g->list.node,
        g->block.norm1.seg, config->H, M, B, S);
}
