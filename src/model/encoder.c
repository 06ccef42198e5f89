#include "model/encoder.h"

#include "gpu/gpu.h"
#include "shaders/args.h"

const struct encoder_layer *encoder_top(const struct encoder *encoder)
{
    return &encoder->layers[encoder->model->config.L - 1];
}

static void layer_layout(struct encoder_layer *layer, struct arena *arena, const struct encoder *e, bool save)
{
    const struct config *config = &e->model->config;
    const uint32_t B = e->batch->B, N = e->batch->N, D = config->D;
    layer->qkv = tensor_allocate(arena, 2, B * N, 3 * D);
    layer->logits = tensor_allocate(arena, 4, B, config->H, N, N);
    layer->mix = tensor_allocate(arena, 2, B * N, D);
    block_layout(&layer->block, arena, config, B * N, save);
}

// Sets the statistics of one normalisation of the plain pass: `which` is 0 or 1.
static void norm_layout(
    struct norm *norm, struct arena *arena, const struct encoder *e, uint32_t layer, int which, struct tensor *scratch)
{
    const struct config *config = &e->model->config;
    const uint32_t D = config->D;
    *norm = (struct norm){ .seg = e->seg, .G = 1 };
    switch (config->norm) {
    case MODEL_INSTANCE:
        norm->mode = NORM_INSTANCE;
        norm->stats = tensor_allocate(arena, 3, e->seg.S, 2, D);
        break;
    case MODEL_LAYER:
        norm->mode = NORM_LAYER;
        norm->stats = tensor_allocate(arena, 2, e->seg.S * e->seg.N, 2);
        break;
    case MODEL_BATCH_LIVE:
    case MODEL_BATCH:
    case MODEL_RUNNING:
        if (config->norm == MODEL_BATCH_LIVE || (config->norm == MODEL_BATCH && e->live)) {
            norm->mode = NORM_BATCH;
            norm->stats = tensor_allocate(arena, 3, 1, 2, D);
            break;
        }
        norm->mode = NORM_GIVEN;
        norm->stats = (struct tensor){ e->model->stats.plain.address + 4ull * (2 * layer + (uint32_t)which) * 2 * D, 3,
            { 1, 2, D } };
    }
    if (!scratch->address)
        *scratch = tensor_allocate(arena, 1, (uint32_t)nn_norm_scratch(norm, D));
    norm->scratch = *scratch;
}

void encoder_layout(
    struct encoder *e, struct arena *arena, const struct view *view, const struct batch *batch, bool save)
{
    const struct config *config = &view->model->config;
    const uint32_t R = batch->B * batch->N, D = config->D;
    *e = (struct encoder){ .model = view->model, .live = view->live, .batch = batch };
    e->seg = (struct segments){ .S = batch->B, .N = batch->N, .rows = batch->limits.address };
    e->features = tensor_allocate(arena, 2, R, FEATURES);
    e->h0 = tensor_allocate(arena, 2, R, D);
    struct tensor h = e->h0, spare = { 0 }, scratch = { 0 };
    for (uint32_t i = 0; i < config->L; i++) {
        struct encoder_layer *layer = &e->layers[i];
        if (save || i == 0)
            layer_layout(layer, arena, e, save);
        else
            *layer = e->layers[0]; // layers share memory; their outputs alternate
        norm_layout(&layer->block.norm1, arena, e, i, 0, &scratch);
        norm_layout(&layer->block.norm2, arena, e, i, 1, &scratch);
        layer->in = h;
        if (!save && i > 0) {
            layer->block.h2 = spare.address ? spare : (spare = tensor_allocate(arena, 2, R, D));
            spare = h;
        }
        h = layer->block.h2;
    }
    e->h = h;
}

static struct linear embed_of(const struct encoder *e)
{
    return (struct linear){ .y = e->h0, .x = e->features, .w = e->model->params.embed };
}

static struct linear qkv_of(const struct encoder *e, uint32_t i)
{
    return (struct linear){ .y = e->layers[i].qkv, .x = e->layers[i].in, .w = e->model->params.layers[i].qkv };
}

void encoder_forward(struct cmd *c, const struct encoder *e)
{
    const struct params *p = &e->model->params;
    struct linear embed = embed_of(e);
    cmd_label(c, "encoder/embed");
    batch_features(c, e->features, e->batch);
    nn_linear(c, &embed);
    for (uint32_t i = 0; i < e->model->config.L; i++) {
        const struct encoder_layer *l = &e->layers[i];
        struct linear qkv = qkv_of(e, i);
        cmd_label(c, "encoder/layer%u", i);
        nn_linear(c, &qkv);                                                     // Q, K, V = h W
        nn_attention(c, l->mix, l->logits, l->qkv, e->seg, e->model->config.H); // softmax(Q K' / sqrt(dk)) V
        block_forward(c, &l->block, l->mix, l->in, (struct tensor){ 0 }, &p->layers[i]);
    }
}

uint32_t encoder_scratch(const struct encoder *e)
{
    const struct config *config = &e->model->config;
    const uint32_t R = e->batch->B * e->batch->N, D = config->D;
    uint32_t block = block_scratch(e->model->gpu, config, 1, R),
             qkv = (uint32_t)nn_linear_dw_scratch(e->model->gpu, 1, R, D, 3 * D);
    return block > qkv ? block : qkv; // the embedding has fewer inputs
}

void encoder_backward(struct cmd *c, const struct encoder *e, const struct encoder_grad *g, const struct params *d)
{
    const struct params *p = &e->model->params;
    struct tensor none = { 0 };
    for (uint32_t i = e->model->config.L; i-- > 0;) {
        const struct encoder_layer *l = &e->layers[i];
        const bool top = l == encoder_top(e);
        struct linear qkv = qkv_of(e, i);
        struct block_grad block = g->block;
        if (!top)
            block.dstats1 = block.dstats2 = none;
        cmd_label(c, "encoder/layer%u back", i);
        block_backward(c, &l->block, &block, l->mix, &p->layers[i], &d->layers[i]);
        nn_attention_back(c, g->dqkv, block.b, top ? g->dlogits : none, top ? g->dv : none, l->logits, l->qkv, e->seg,
            e->model->config.H);
        nn_linear_dw(c, d->layers[i].qkv, none, block.scratch, g->dqkv, &qkv);
        nn_linear_dx(c, block.a, g->dqkv, &qkv, true); // the residual's part is there already
        if (top && g->din.address)
            nn_add(c, block.a, g->din);
    }
    struct linear embed = embed_of(e);
    cmd_label(c, "encoder/embed back");
    nn_linear_dw(c, d->embed, none, g->block.scratch, g->block.a, &embed);
}
