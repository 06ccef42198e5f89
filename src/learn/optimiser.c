#include "learn/optimiser.h"

#include <stdlib.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "util/alloc.h"

static const struct adam_settings settings = { .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .max_norm = 1 };

static void layout(struct optimiser *o)
{
    const struct config *config = &o->model->config;
    params_layout(&o->m, o->arena, config);
    params_layout(&o->v, o->arena, config);
    o->state = tensor_allocate(o->arena, 1, ADAM_STATE);
    o->norm = tensor_allocate(o->arena, 1, 2);
    o->part = tensor_allocate(o->arena, 1, NORM2_PARTS);
    o->rate = tensor_allocate(o->arena, 1, 1);
}

static bool record(struct optimiser *o)
{
    struct tensor w, d = o->sum->flat, m, v;
    const struct config *config = &o->model->config;
    if (!params_flat(&w, &o->model->params, config) || !params_flat(&m, &o->m, config) ||
        !params_flat(&v, &o->v, config))
        return false;
    o->update = cmd_create(o->model->gpu);
    cmd_label(o->update, "update");
    nn_norm2(o->update, o->norm, o->part, d);
    nn_adam(o->update, w, m, v, o->state, d, o->norm, o->rate, &settings);
    cmd_fill(o->update, d.address, 4 * tensor_count(&d), 0);
    model_fold(o->update, o->model);

    struct cmd *clear = cmd_create(o->model->gpu);
    cmd_label(clear, "update/clear");
    struct tensor all[] = { m, v, o->state };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        cmd_fill(clear, all[i].address, 4 * tensor_count(&all[i]), 0);
    bool ok = cmd_run(clear);
    cmd_destroy(&clear);
    return ok;
}

bool optimiser_create(struct optimiser **out, const struct model *model, const struct sum *sum)
{
    struct optimiser *o = *out = xcalloc(1, sizeof *o);
    o->model = model;
    o->sum = sum;
    o->arena = arena_create(model->gpu, "the optimiser");
    layout(o);
    bool ok = arena_back(o->arena);
    if (ok) {
        layout(o);
        ok = record(o);
    }
    if (!ok)
        optimiser_destroy(out);
    return ok;
}

void optimiser_destroy(struct optimiser **slot)
{
    struct optimiser *o = *slot;
    if (!o)
        return;
    cmd_destroy(&o->update);
    arena_destroy(&o->arena);
    free(o);
    *slot = NULL;
}

bool optimiser_run(struct optimiser *o, double rate, struct optimiser_step *step)
{
    struct gpu *gpu = o->model->gpu;
    float narrow = (float)rate;
    union {
        float real;
        uint32_t word;
    } norm[2];
    uint32_t state[ADAM_STATE];
    if (!tensor_upload(gpu, o->rate, &narrow) || !cmd_run(o->update) || !tensor_download(gpu, norm, o->norm) ||
        !tensor_download(gpu, state, o->state))
        return false;
    *step = (struct optimiser_step){ norm[0].real, !norm[1].word, state[ADAM_SKIPPED] };
    return true;
}

uint64_t optimiser_floats(const struct optimiser *o)
{
    struct params params;
    struct stats stats;
    struct config config = o->model->config;
    config.norm = MODEL_LAYER; // has no statistics
    return 2 * params_layout_host(&params, &stats, &config);
}

// Copies tensor by tensor, because host memory has no padding.
static bool transfer(const struct optimiser *o, float *moments, bool up)
{
    const struct params *both[] = { &o->m, &o->v };
    bool ok = true;
    for (size_t k = 0; k < 2; k++) {
        struct named *list = params_list(both[k], &o->model->config);
        for (ptrdiff_t i = 0; ok && i < arrlen(list); i++) {
            ok = up ? tensor_upload(o->model->gpu, list[i].tensor, moments)
                    : tensor_download(o->model->gpu, moments, list[i].tensor);
            moments += tensor_count(&list[i].tensor);
        }
        arrfree(list);
    }
    return ok;
}

bool optimiser_save(const struct optimiser *o, struct optimiser_saved *saved)
{
    uint32_t state[ADAM_STATE];
    if (!tensor_download(o->model->gpu, state, o->state))
        return false;
    saved->steps = state[ADAM_STEP];
    saved->skips = state[ADAM_SKIPPED];
    return transfer(o, saved->moments, false);
}

bool optimiser_load(struct optimiser *o, const struct optimiser_saved *saved)
{
    uint32_t state[ADAM_STATE] = { [ADAM_STEP] = saved->steps, [ADAM_SKIPPED] = saved->skips };
    return tensor_upload(o->model->gpu, o->state, state) && transfer(o, saved->moments, true);
}
