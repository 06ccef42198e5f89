#include "model/model.h"

#include <stdlib.h>

#include "gpu/gpu.h"
#include "nn/nn.h"
#include "util/alloc.h"

static void layout(struct model *model)
{
    const struct config *config = &model->config;
    const uint32_t D = config->D, M = config->M;
    params_layout(&model->params, model->arena, config);
    stats_layout(&model->stats, model->arena, config);
    model->kvl = tensor_allocate(model->arena, 3, M, D, 3 * D);
    if (config->problem->splits)
        model->dynamic = tensor_allocate(model->arena, 2, M, 3 * D);
}

bool model_create(struct model **out, struct gpu *gpu, const struct config *config)
{
    struct model *model = *out = xcalloc(1, sizeof *model);
    model->gpu = gpu;
    model->config = *config;
    model->arena = arena_create(gpu, "the model");
    layout(model);
    if (!arena_back(model->arena)) {
        model_destroy(out);
        return false;
    }
    layout(model);
    return true;
}

void model_destroy(struct model **slot)
{
    struct model *model = *slot;
    if (!model)
        return;
    arena_destroy(&model->arena);
    free(model);
    *slot = NULL;
}

struct view model_view(const struct model *model)
{
    return (struct view){ .model = model, .p = model->config.p };
}

bool model_load(struct model *model, const struct weights *weights)
{
    if (!weights_upload(model->gpu, &model->params, &model->stats, weights))
        return false;
    struct cmd *c = cmd_create(model->gpu);
    model_fold(c, model);
    bool ok = cmd_submit(c);
    cmd_destroy(&c);
    return ok;
}

void model_fold(struct cmd *c, const struct model *model)
{
    cmd_label(c, "model/fold");
    const struct params *p = &model->params;
    nn_fold(c, model->kvl, p->kvl, p->out);
    if (model->dynamic.address)
        nn_fold(c, model->dynamic, p->dynamic, p->out);
}

void model_fold_backward(struct cmd *c, const struct model *model, const struct model_grad *d)
{
    cmd_label(c, "model/fold back");
    const struct params *p = &model->params;
    if (model->dynamic.address)
        nn_fold_back(c, d->params.dynamic, d->params.out, d->dynamic, p->dynamic, p->out);
    nn_fold_back(c, d->params.kvl, d->params.out, d->kvl, p->kvl, p->out);
}
