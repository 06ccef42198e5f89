#include "model/glimpse.h"

#include "gpu/gpu.h"

// Selects the statistics that normalise the rows: `which` is 0 or 1.
static void norm_layout(struct norm *norm, struct arena *arena, const struct glimpse *g, struct segments seg, int which)
{
    const struct model *model = g->encoder->model;
    const struct config *config = &model->config;
    const struct block *plain = &encoder_top(g->encoder)->block;
    const uint32_t T = g->rules->T, D = config->D;
    *norm = (struct norm){ .seg = seg, .G = g->count * config->M };
    switch (config->norm) {
    case MODEL_INSTANCE:
        if (config->dialect == DIALECT_NATIVE) {
            norm->mode = NORM_GIVEN; // those of the instance's plain pass
            norm->stats = which ? plain->norm2.stats : plain->norm1.stats;
            norm->index = g->instance;
            norm->run = T / config->M / g->rules->batch->B;
        } else {
            norm->mode = NORM_INSTANCE;
            norm->stats = tensor_allocate(arena, 3, seg.S, 2, D);
        }
        break;
    case MODEL_LAYER:
        norm->mode = NORM_LAYER;
        norm->stats = tensor_allocate(arena, 2, g->mix.dim[0], 2);
        break;
    case MODEL_BATCH_LIVE:
        norm->mode = NORM_BATCH;
        norm->stats = tensor_allocate(arena, 3, norm->G, 2, D);
        break;
    case MODEL_RUNNING: // trained without a glimpse: there are only plain statistics
        *norm = which ? plain->norm2 : plain->norm1;
        norm->seg = seg;
        break;
    case MODEL_BATCH:
        if (g->encoder->live) { // rows of all decoders together
            norm->mode = NORM_BATCH;
            norm->G = g->count;
            norm->stats = tensor_allocate(arena, 3, norm->G, 2, D);
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
    const uint32_t *max_rows, uint32_t count, bool save, const struct glimpse_shared *shared)
{
    const struct config *config = &encoder->model->config;
    const uint32_t T = rules->T, N = rules->batch->N, D = config->D, M = config->M, S = count * T;
    uint32_t room = 0, longest = 0;
    for (uint32_t i = 0; i < count; i++) {
        room += T / M * max_rows[i];
        longest = max_rows[i] > longest ? max_rows[i] : longest;
    }
    *g = (struct glimpse){ .encoder = encoder, .rules = rules, .count = count };
    if (config->norm == MODEL_BATCH)
        g->occasion = tensor_allocate(arena, 1, S);
    g->keys = tensor_allocate(arena, 2, S, (N + 31) / 32);
    g->relevant = shared->everyone.address ? tensor_slice(shared->everyone, 0, S) : g->keys;
    g->instance = tensor_slice(shared->instance, 0, S);
    nn_compact_layout(&g->list, arena, T, count, room, M);
    if (!shared->everyone.address)
        g->list.keys = g->keys;
    g->mix = tensor_allocate(arena, 2, M * room, D);
    g->block.u = shared->u;
    block_layout(&g->block, arena, config, M * room, save);
    g->block.rows = g->list.whole;
    struct segments seg = { .S = S, .N = longest, .first = g->list.first.address, .rows = g->list.rows.address };
    norm_layout(&g->block.norm1, arena, g, seg, 0);
    norm_layout(&g->block.norm2, arena, g, seg, 1);
    struct tensor scratch = tensor_allocate(arena, 1, (uint32_t)nn_norm_scratch(&g->block.norm1, D));
    g->block.norm1.scratch = g->block.norm2.scratch = scratch;
    g->cache = (struct cache){ .h = g->block.h2, .means = seg, .rows = g->list.whole, .slots = seg, .repeat = count };
    cache_layout(&g->cache, arena, encoder->model);
}

static struct norm norm_of(const struct norm *stack, const struct glimpse *g, uint32_t count, struct segments seg)
{
    struct norm norm = *stack;
    norm.seg = seg;
    norm.index = tensor_slice(norm.index, g->first * seg.S, seg.S);
    if (norm.mode == NORM_INSTANCE)
        norm.stats = tensor_slice(norm.stats, g->first * seg.S, seg.S);
    if (norm.mode == NORM_BATCH) {
        norm.G /= count;
        norm.stats = tensor_slice(norm.stats, g->first * norm.G, norm.G);
    }
    return norm;
}

struct glimpse glimpse_of(const struct glimpse *stack, uint32_t i, uint32_t max_rows)
{
    struct glimpse g = *stack;
    const uint32_t T = stack->rules->T;
    g.count = 1;
    g.first = i;
    g.keys = tensor_slice(g.keys, i * T, T);
    g.relevant = tensor_slice(g.relevant, i * T, T);
    g.instance = tensor_slice(g.instance, i * T, T);
    g.occasion = tensor_slice(g.occasion, i * T, T);
    g.list = nn_compact_set(&stack->list, T, i);
    g.block.rows = g.cache.rows = g.list.span;
    g.block.max_rows = g.cache.max_rows = T / stack->encoder->model->config.M * max_rows;
    struct segments seg = { .S = T, .N = max_rows, .first = g.list.first.address, .rows = g.list.rows.address };
    g.block.norm1 = norm_of(&stack->block.norm1, &g, stack->count, seg);
    g.block.norm2 = norm_of(&stack->block.norm2, &g, stack->count, seg);
    g.cache.means = g.cache.slots = seg;
    g.cache.repeat = 1;
    g.cache.mean = tensor_slice(g.cache.mean, i * T, T);
    g.cache.fixed = tensor_slice(g.cache.fixed, i * T, T);
    return g;
}

void glimpse_forward(struct cmd *c, const struct glimpse *g, const struct glimpse *stack)
{
    const struct encoder_layer *top = encoder_top(g->encoder);
    const struct model *model = g->encoder->model;
    cmd_label(c, "glimpse/rows");
    if (stack->count > 1 && g->first == 0) // a run may not reach them
        cmd_fill(c, stack->list.rows.address, 4 * tensor_count(&stack->list.rows), 0);
    const bool everyone = g->relevant.address != g->keys.address; // else the list copies the keys
    if (everyone)
        nn_copy(c, g->keys, g->rules->keys);
    nn_compact(
        c, &g->list, everyone ? g->relevant : g->rules->keys, g->rules->instance, g->rules->batch->N, g->first > 0);
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
    const uint32_t L = config->L, B = g->rules->batch->B, S = g->rules->T / config->M / B, M = g->count * config->M;
    block_backward(c, &g->block, block, g->mix, &g->encoder->model->params.layers[L - 1], &d->layers[L - 1]);
    nn_compact_back_add(c, encoder->din, block->a, &g->list, g->relevant, M, B, S);
    nn_reattend_back_add(c, encoder->dlogits, encoder->dv, block->b, top->logits, top->qkv, g->keys, g->list.node,
        g->block.norm1.seg, config->H, M, B, S);
}
