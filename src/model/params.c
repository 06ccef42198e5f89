#include "model/params.h"

#include <stdio.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "shaders/args.h"
#include "util/divide.h"
#include "util/error.h"

uint32_t context_size(const struct config *config)
{
    return config->problem->context ? config->D + CONTEXT_SCALARS : 2 * config->D;
}

uint32_t context_inputs(const struct config *config)
{
    return config->problem->context ? config->D + 1 : 2 * config->D;
}

uint32_t customer_inputs(const struct problem *problem)
{
    uint32_t inputs = 2;
    FOR_COLUMNS(column, problem)
    inputs += column->feature;
    return inputs;
}

// Visits every tensor: allocates it from the arena, assigns an offset in host memory, or adds it to the list.
struct visit {
    struct arena *arena;
    uint64_t *next;     // offset in host memory
    struct named *list; // stb_ds array
};

static void visit(
    struct visit *v, struct tensor *tensor, const char *name, int rank, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    if (v->arena || v->next) {
        uint32_t dim[4] = { a, b, c, d };
        struct tensor made = { .rank = rank };
        memcpy(made.dim, dim, sizeof(uint32_t) * (size_t)rank);
        made.address = v->arena ? arena_allocate(v->arena, 4 * tensor_count(&made)) : *v->next;
        if (v->next)
            *v->next += tensor_count(&made);
        *tensor = made;
    } else {
        struct named named = { .tensor = *tensor };
        snprintf(named.name, sizeof named.name, "%s", name);
        arrput(v->list, named);
    }
}

static void visit_layer(struct visit *v, struct layer_params *layer, uint32_t index, const struct config *config)
{
    const uint32_t D = config->D, F = config->F;
    struct {
        struct tensor *tensor;
        const char *name;
        int rank;
        uint32_t a, b;
    } list[] = {
        { &layer->qkv, "qkv", 2, D, 3 * D },
        { &layer->out, "out", 2, D, D },
        { &layer->norm1.gain, "norm1.gain", 1, D, 0 },
        { &layer->norm1.bias, "norm1.bias", 1, D, 0 },
        { &layer->ff1, "ff1.weight", 2, D, F },
        { &layer->ff1_bias, "ff1.bias", 1, F, 0 },
        { &layer->ff2, "ff2.weight", 2, F, D },
        { &layer->ff2_bias, "ff2.bias", 1, D, 0 },
        { &layer->norm2.gain, "norm2.gain", 1, D, 0 },
        { &layer->norm2.bias, "norm2.bias", 1, D, 0 },
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char name[48];
        snprintf(name, sizeof name, "layer%u.%s", index, list[i].name);
        visit(v, list[i].tensor, name, list[i].rank, list[i].a, list[i].b, 0, 0);
    }
}

static void visit_params(struct visit *v, struct params *p, const struct config *config)
{
    const uint32_t D = config->D, M = config->M;
    visit(v, &p->embed, "embed", 2, FEATURES, D, 0, 0);
    if (!config->problem->context)
        visit(v, &p->placeholder, "placeholder", 1, 2 * D, 0, 0, 0);
    if (config->problem->splits)
        visit(v, &p->dynamic, "dynamic", 1, 3 * D, 0, 0, 0);
    for (uint32_t i = 0; i < config->L; i++)
        visit_layer(v, &p->layers[i], i, config);
    visit(v, &p->kvl, DECODER_PREFIX "kvl", 3, M, D, 3 * D, 0);
    visit(v, &p->fixed, DECODER_PREFIX "fixed", 3, M, D, D, 0);
    visit(v, &p->step, DECODER_PREFIX "step", 3, M, context_size(config), D, 0);
    visit(v, &p->out, DECODER_PREFIX "out", 3, M, D, D, 0);
}

static void visit_stats(struct visit *v, struct stats *s, const struct config *config)
{
    if (config->norm == MODEL_BATCH || config->norm == MODEL_RUNNING)
        visit(v, &s->plain, "stats.plain", 4, config->L, 2, 2, config->D);
    if (config->norm == MODEL_BATCH && config->O)
        visit(v, &s->glimpse, "stats.glimpse", 4, config->O, 2, 2, config->D);
}

void params_layout(struct params *params, struct arena *arena, const struct config *config)
{
    memset(params, 0, sizeof *params);
    visit_params(&(struct visit){ .arena = arena }, params, config);
}

void stats_layout(struct stats *stats, struct arena *arena, const struct config *config)
{
    memset(stats, 0, sizeof *stats);
    visit_stats(&(struct visit){ .arena = arena }, stats, config);
}

uint64_t params_layout_host(struct params *params, struct stats *stats, const struct config *config)
{
    uint64_t next = 0;
    memset(params, 0, sizeof *params);
    memset(stats, 0, sizeof *stats);
    visit_params(&(struct visit){ .next = &next }, params, config);
    visit_stats(&(struct visit){ .next = &next }, stats, config);
    return next;
}

bool params_flat(struct tensor *flat, const struct params *params, const struct config *config)
{
    struct named *list = params_list(params, config);
    const struct tensor *first = &list[0].tensor, *last = &arrlast(list).tensor;
    uint64_t end = last->address + 4 * tensor_count(last), bytes = 0;
    for (ptrdiff_t i = 0; i + 1 < arrlen(list); i++)
        bytes += round_up(4 * tensor_count(&list[i].tensor), GPU_ALIGNMENT);
    bool whole = first->address + bytes == last->address && end - first->address <= UINT32_MAX;
    *flat = (struct tensor){ first->address, 1, { (uint32_t)((end - first->address) / 4) } };
    arrfree(list);
    return whole || fail(FAULT_DEVICE, "the weights, %llu MiB, do not fit into one allocation of the device",
                        (unsigned long long)(bytes >> 20));
}

struct named *params_list(const struct params *params, const struct config *config)
{
    struct visit v = { 0 };
    struct params copy = *params;
    visit_params(&v, &copy, config);
    return v.list;
}

struct named *stats_list(const struct stats *stats, const struct config *config)
{
    struct visit v = { 0 };
    struct stats copy = *stats;
    visit_stats(&v, &copy, config);
    return v.list;
}
