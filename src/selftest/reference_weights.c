// The weights of the reference.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "model/weights.h"
#include "selftest/reference_internal.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/rng.h"

static void add_tensors(struct reference *model, struct named *list)
{
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        struct reference_tensor tensor = { .rank = list[i].tensor.rank, .count = tensor_count(&list[i].tensor) };
        memcpy(tensor.name, list[i].name, sizeof tensor.name);
        memcpy(tensor.dim, list[i].tensor.dim, sizeof tensor.dim);
        tensor.value = xcalloc(tensor.count, sizeof *tensor.value);
        arrput(model->tensors, tensor);
    }
    arrfree(list);
}

void reference_init(struct reference *model, const struct config *config)
{
    *model = (struct reference){ .config = *config };
    struct params params;
    struct stats stats;
    params_layout_host(&params, &stats, config);
    add_tensors(model, params_list(&params, config));
    add_tensors(model, stats_list(&stats, config));
}

void reference_finish(struct reference *model)
{
    for (ptrdiff_t i = 0; i < arrlen(model->tensors); i++) {
        free(model->tensors[i].value);
        free(model->tensors[i].grad);
    }
    arrfree(model->tensors);
}

struct reference_tensor *reference_find(const struct reference *model, const char *name)
{
    for (ptrdiff_t i = 0; i < arrlen(model->tensors); i++) {
        if (!strcmp(model->tensors[i].name, name))
            return &model->tensors[i];
    }
    return NULL;
}

// Both lists are in the order of weights_list.
static void expect_alike(const struct reference *model, const struct weights *weights, const struct named *list)
{
    bool same = arrlen(list) == arrlen(model->tensors) && weights->config.D == model->config.D;
    for (ptrdiff_t i = 0; same && i < arrlen(list); i++)
        same =
            tensor_count(&list[i].tensor) == model->tensors[i].count && !strcmp(list[i].name, model->tensors[i].name);
    if (!same)
        bug("weights of another configuration");
}

void reference_load(struct reference *model, const struct weights *from)
{
    reference_init(model, &from->config);
    struct named *list = weights_list(from);
    expect_alike(model, from, list);
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        for (size_t k = 0; k < model->tensors[i].count; k++)
            model->tensors[i].value[k] = weights_at(from, list[i].tensor)[k];
    }
    arrfree(list);
}

void reference_store(const struct reference *model, bool gradient, struct weights *to)
{
    struct named *list = weights_list(to);
    expect_alike(model, to, list);
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        const struct reference_tensor *tensor = &model->tensors[i];
        bool none = gradient && !strncmp(tensor->name, "stats.", 6);
        for (size_t k = 0; k < tensor->count; k++)
            weights_at(to, list[i].tensor)[k] = none ? 0 : (float)(gradient ? tensor->grad : tensor->value)[k];
    }
    arrfree(list);
}

static bool ends(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && !strcmp(text + a - b, end);
}

// Scale and centre of a tensor's random values: uniform in centre +- scale.
static void spread(const struct reference_tensor *tensor, double sharpness, double *centre, double *scale)
{
    *centre = 0;
    *scale = tensor->rank >= 2 ? 1 / sqrt(tensor->dim[tensor->rank - 2]) : 0.3;
    if (!strncmp(tensor->name, "decoder.", 8))
        *scale *= sharpness;
    else if (!strcmp(tensor->name, "embed") || !strcmp(tensor->name, "placeholder") || !strcmp(tensor->name, "dynamic"))
        *scale = 1;
    else if (ends(tensor->name, ".qkv"))
        *scale = 0.25;
    else if (ends(tensor->name, ".gain"))
        *centre = 1;
}

void reference_randomise(struct reference *model, uint64_t seed, double sharpness)
{
    for (uint32_t i = 0; i < (uint32_t)arrlen(model->tensors); i++) {
        struct reference_tensor *tensor = &model->tensors[i];
        double centre, scale;
        spread(tensor, sharpness, &centre, &scale);
        bool tracked = !strncmp(tensor->name, "stats.", 6);
        uint32_t cols = tensor->dim[tensor->rank - 1], rows = (uint32_t)(tensor->count / cols);
        // The context's padding has no weight.
        uint32_t padded = !strcmp(tensor->name, "decoder.step") && model->config.problem->context;
        for (size_t k = 0; k < tensor->count; k++) {
            uint32_t number[4], row = (uint32_t)(k / cols);
            rng_draw(&(struct rng){ seed, 99, i, 0 }, (uint32_t)k, number);
            double unit = rng_unit(number[0]);
            double value = centre + scale * (2 * unit - 1);
            if (tracked && row % 2 == 1)
                value = 0.5 + unit; // a variance
            if (padded && row % (rows / model->config.M) > model->config.D)
                value = 0;
            tensor->value[k] = (float)value;
        }
    }
}

struct mat *weight(const struct reference_run *run, const char *name)
{
    for (ptrdiff_t i = 0; i < arrlen(run->model->tensors); i++) {
        if (!strcmp(run->model->tensors[i].name, name))
            return run->weights[i];
    }
    bug("no weight %s", name);
}

struct mat *decoder_weight(struct reference_run *run, const char *name, uint32_t m)
{
    char own[64];
    snprintf(own, sizeof own, "%s %u", name, m);
    struct mat *slice = shget(run->slices, own);
    if (!slice) {
        struct mat *whole = weight(run, name);
        uint32_t rows = whole->rows / run->model->config.M;
        slice = tape_span(&run->tape, whole, m * rows, rows);
        shput(run->slices, own, slice);
    }
    return slice;
}
