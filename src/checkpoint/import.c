#include "checkpoint/import.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "checkpoint/safetensors.h"
#include "checkpoint/torch.h"
#include "problem/generate.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/text.h"

#define CHECKPOINT_BYTES ((size_t)1 << 32)
#define ARGS_BYTES_MAX   ((size_t)1 << 20)
#define ASSUMED_PERIOD   2 // the only published one

struct import {
    const struct torch_file *file;
    bool single; // names of the attention model, which has one decoder
    struct weights *weights;
    bool *used; // for each tensor of the file
    bool ok;    // false after the first failure
};

// --- identification -----------------------------------------------------------------------------------------------

// Returns the tensor of a formatted name, or NULL.
static const struct torch_tensor *find(const struct torch_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const struct torch_tensor *find(const struct torch_file *file, const char *format, ...)
{
    char name[128];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return torch_find(file, name);
}

static uint32_t dim(const struct torch_tensor *tensor, int k)
{
    return tensor && k < tensor->shape.rank ? tensor->shape.dim[k] : 0;
}

void released_part_name(bool single, uint32_t L, uint32_t layer, uint32_t part, char name[RELEASED_NAME])
{
    static const char *const own[] = { "attention_layer.", "BN1.normalizer.", "projection.module.", "BN2.normalizer." };
    static const char *const kinds[] = { "module.", "normalizer.", "module.", "normalizer." };
    if (single)
        snprintf(name, RELEASED_NAME, "embedder.layers.%u.%u.%s", layer, part, kinds[part]);
    else if (layer + 1 < L)
        snprintf(name, RELEASED_NAME, "embedder.layers.%u.%s", 4 * layer + part, kinds[part]);
    else
        snprintf(name, RELEASED_NAME, "embedder.%s", own[part]);
}

static void part_name(const struct import *im, uint32_t layer, uint32_t part, char name[RELEASED_NAME])
{
    released_part_name(im->single, im->weights->config.L, layer, part, name);
}

// Returns whether the tensors are those of the problem.
static bool matches(const struct torch_file *file, const struct problem *problem)
{
    return problem->has_depot == (find(file, "init_embed_depot.weight") != NULL) &&
           problem->splits == (find(file, "project_node_step.weight") != NULL) &&
           dim(find(file, "init_embed.weight"), 1) == customer_inputs(problem);
}

static bool choose_problem(const struct torch_file *file, const struct import_args *args, struct config *config)
{
    struct text names = { 0 };
    text_add(&names, "%s", "");
    unsigned count = 0;
    for (const struct problem *const *problem = problems; *problem; problem++) {
        if (!matches(file, *problem))
            continue;
        text_add(&names, "%s%s", count++ ? " or " : "", (*problem)->name);
        config->problem = *problem;
    }
    bool ok = true;
    if (count == 0)
        ok = fail(FAULT_INPUT, "its tensors match no problem");
    else if (args->problem && !matches(file, args->problem))
        ok = fail(FAULT_INPUT, "its tensors are for %s, its arguments for %s", names.data, args->problem->name);
    else if (args->problem)
        config->problem = args->problem;
    else if (count > 1)
        ok = fail(FAULT_INPUT, "its tensors fit %s; args.json is needed to decide", names.data);
    text_finish(&names);
    return ok;
}

static bool agrees(const char *key, uint32_t given, uint32_t found)
{
    return !given || given == found || fail(FAULT_INPUT, "its arguments have %s %u, its tensors %u", key, given, found);
}

// Reads the sizes from some shapes; copying checks all other shapes against them.
static bool read_sizes(struct import *im, const struct import_args *args, struct config *config)
{
    const struct torch_file *file = im->file;
    im->single = find(file, "project_node_embeddings.weight");
    config->L = 1;
    while (config->L < MAX_LAYERS &&
           find(file, im->single ? "embedder.layers.%u.0.module.W_query" : "embedder.layers.%u.module.W_query",
               im->single ? config->L : 4 * (config->L - 1)))
        config->L++;
    config->M = im->single;
    while (!im->single && config->M < 65 && find(file, "project_node_embeddings.%u.weight", config->M))
        config->M++;
    char attention[RELEASED_NAME], hidden[RELEASED_NAME];
    im->weights->config.L = config->L;
    part_name(im, 0, 0, attention);
    part_name(im, 0, 2, hidden);
    config->D = dim(find(file, "init_embed.weight"), 0);
    config->H = dim(find(file, "%sW_query", attention), 0);
    config->F = dim(find(file, "%s0.weight", hidden), 0);
    if (!config->M || !config->D || !config->H || !config->F)
        return fail(FAULT_INPUT, "not a state dict of the released programs");
    return agrees("n_paths", im->single ? 0 : args->M, config->M) && agrees("embedding_dim", args->D, config->D) &&
           agrees("n_encode_layers", args->L, config->L);
}

static void add_note(char ***notes, char *note)
{
    arrput(*notes, note);
}

static void read_period(const struct import *im, const struct import_args *args, struct config *config, char ***notes)
{
    if (im->single || args->p == RELEASED_NO_GLIMPSE) // trained without glimpses
        return;
    config->p = args->p ? args->p : ASSUMED_PERIOD;
    if (!args->p)
        add_note(notes, xformat("its arguments have no n_EG: assuming a glimpse every %u decisions", config->p));
    else if (args->n && args->p >= 2 * args->n)
        add_note(notes, xformat("n_EG %u: no tour of %u nodes is long enough for a glimpse", args->p, args->n));
}

// The file must have as many numbers as the model, without padding, before memory is allocated.
static bool check_amount(const struct torch_file *file, const struct config *config)
{
    struct params params;
    struct stats stats;
    uint64_t needed = params_layout_host(&params, &stats, config), found = 0;
    uint64_t padding = (uint64_t)config->D * (FEATURES + (uint64_t)config->M * CONTEXT_SCALARS);
    for (ptrdiff_t i = 0; i < arrlen(file->tensors); i++)
        found += tensor_count(&file->tensors[i].shape);
    return needed <= found + padding ||
           fail(FAULT_INPUT, "%llu numbers for a model of %llu", (unsigned long long)found, (unsigned long long)needed);
}

static bool read_config(struct import *im, const struct import_args *args, struct config *config, char ***notes)
{
    *config = (struct config){ .dialect = DIALECT_REFERENCE };
    if (!read_sizes(im, args, config) || !choose_problem(im->file, args, config))
        return false;
    char norm[RELEASED_NAME];
    part_name(im, 0, 1, norm);
    bool tracked = find(im->file, "%srunning_mean", norm);
    if (args->instance && tracked)
        return fail(FAULT_INPUT, "its arguments say instance normalisation, its tensors batch normalisation");
    bool batch = args->batch || tracked;
    config->norm = !batch ? MODEL_INSTANCE : im->single ? MODEL_RUNNING : MODEL_BATCH_LIVE;
    config->trained.n_min = config->trained.n_max = args->n;
    if (config->problem->prize_kinds)
        config->trained.prize = args->has_prize ? args->prize : PRIZE_DIST;
    read_period(im, args, config, notes);
    return config_check(config) && (!args->n || generate_check(config->problem, &config->trained)) &&
           check_amount(im->file, config);
}

// --- copying ------------------------------------------------------------------------------------------------------

// Returns the values of a required tensor of this shape; NULL if it is absent or after a failure.
static const float *values_of(
    struct import *im, const char *prefix, const char *name, int rank, uint32_t a, uint32_t b, uint32_t c)
{
    if (!im->ok)
        return NULL;
    const struct torch_tensor *tensor = find(im->file, "%s%s", prefix, name);
    struct tensor expected = { .rank = rank, .dim = { a, b, c } };
    char shape[2][TENSOR_SHAPE_TEXT];
    if (!tensor)
        im->ok = fail(FAULT_INPUT, "tensor %s%s is missing", prefix, name);
    else if (tensor->shape.rank != rank || memcmp(tensor->shape.dim, expected.dim, sizeof expected.dim))
        im->ok = fail(FAULT_INPUT, "tensor %s%s is %s instead of %s", prefix, name,
            tensor_shape(&tensor->shape, shape[0]), tensor_shape(&expected, shape[1]));
    else
        im->used[tensor - im->file->tensors] = true;
    return im->ok ? tensor->values : NULL;
}

static void copy(struct import *im, const char *prefix, const char *name, uint32_t count, float *to)
{
    const float *from = values_of(im, prefix, name, 1, count, 0, 0);
    if (from)
        memcpy(to, from, count * sizeof *to);
}

// Converts a Linear's weight (outputs, inputs) to inputs x outputs.
static void transpose(
    struct import *im, const char *prefix, const char *name, uint32_t inputs, uint32_t outputs, float *to)
{
    const float *from = values_of(im, prefix, name, 2, outputs, inputs, 0);
    for (uint32_t i = 0; from && i < inputs; i++) {
        for (uint32_t o = 0; o < outputs; o++)
            to[(size_t)i * outputs + o] = from[(size_t)o * inputs + i];
    }
}

static void import_embedding(struct import *im)
{
    const struct config *c = &im->weights->config;
    const struct params *p = &im->weights->params;
    float *embed = weights_at(im->weights, p->embed);
    if (c->problem->has_depot) {
        transpose(im, "", "init_embed_depot.weight", 2, c->D, embed);
        copy(im, "", "init_embed_depot.bias", c->D, embed + 2 * (size_t)c->D);
    } else {
        copy(im, "", "W_placeholder", 2 * c->D, weights_at(im->weights, p->placeholder));
    }
    transpose(im, "", "init_embed.weight", customer_inputs(c->problem), c->D, embed + FEATURES_CUSTOMER * (size_t)c->D);
    copy(im, "", "init_embed.bias", c->D, embed + FEATURES_BIAS * (size_t)c->D);
    if (c->problem->splits)
        transpose(im, "", "project_node_step.weight", 1, 3 * c->D, weights_at(im->weights, p->dynamic));
}

// W_query, W_key, W_val (head, input, part of the head) are joined; W_out (head, part, output) has our layout already.
static void import_attention(struct import *im, const char *prefix, const struct layer_params *layer)
{
    const uint32_t D = im->weights->config.D, H = im->weights->config.H, part = D / H;
    static const char *const names[] = { "W_query", "W_key", "W_val" };
    float *qkv = weights_at(im->weights, layer->qkv);
    for (size_t block = 0; block < 3; block++) {
        const float *from = values_of(im, prefix, names[block], 3, H, D, part);
        for (size_t z = 0; from && z < H; z++) {
            for (size_t i = 0; i < D; i++)
                memcpy(qkv + i * 3 * D + block * D + z * part, from + (z * D + i) * part, part * sizeof *from);
        }
    }
    const float *out = values_of(im, prefix, "W_out", 3, H, part, D);
    if (out)
        memcpy(weights_at(im->weights, layer->out), out, (size_t)D * D * sizeof *out);
}

static void import_norm(struct import *im, const char *prefix, const struct norm_params *norm, float *stats)
{
    const uint32_t D = im->weights->config.D;
    copy(im, prefix, "weight", D, weights_at(im->weights, norm->gain));
    copy(im, prefix, "bias", D, weights_at(im->weights, norm->bias));
    if (im->weights->config.norm == MODEL_RUNNING) {
        copy(im, prefix, "running_mean", D, stats);
        copy(im, prefix, "running_var", D, stats + D);
    }
}

static void import_layer(struct import *im, uint32_t index)
{
    const struct config *c = &im->weights->config;
    const struct layer_params *layer = &im->weights->params.layers[index];
    float *stats = weights_at(im->weights, im->weights->stats.plain) + (size_t)4 * c->D * index;
    char prefix[RELEASED_NAME];
    part_name(im, index, 0, prefix);
    import_attention(im, prefix, layer);
    part_name(im, index, 1, prefix);
    import_norm(im, prefix, &layer->norm1, stats);
    part_name(im, index, 2, prefix);
    transpose(im, prefix, "0.weight", c->D, c->F, weights_at(im->weights, layer->ff1));
    copy(im, prefix, "0.bias", c->F, weights_at(im->weights, layer->ff1_bias));
    transpose(im, prefix, "2.weight", c->F, c->D, weights_at(im->weights, layer->ff2));
    copy(im, prefix, "2.bias", c->D, weights_at(im->weights, layer->ff2_bias));
    part_name(im, index, 3, prefix);
    import_norm(im, prefix, &layer->norm2, stats + 2 * (size_t)c->D);
}

static void import_decoder(struct import *im, uint32_t m)
{
    const struct config *c = &im->weights->config;
    const struct params *p = &im->weights->params;
    const struct {
        const char *prefix;
        struct tensor tensor;
        uint32_t inputs;
    } list[] = { { "project_node_embeddings.", p->kvl, c->D }, { "project_fixed_context.", p->fixed, c->D },
        { "project_step_context.", p->step, context_inputs(c) }, { "project_out.", p->out, c->D } };
    char name[32] = "weight";
    if (!im->single)
        snprintf(name, sizeof name, "%u.weight", m);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct tensor tensor = list[i].tensor;
        size_t size = (size_t)tensor.dim[1] * tensor.dim[2];
        transpose(im, list[i].prefix, name, list[i].inputs, tensor.dim[2], weights_at(im->weights, tensor) + m * size);
    }
}

// The released program tracks these batch statistics but never uses them.
static bool is_idle(const struct import *im, const char *name)
{
    const char *last = strrchr(name, '.');
    if (!last)
        return false;
    return !strcmp(last, ".num_batches_tracked") ||
           (im->weights->config.norm == MODEL_BATCH_LIVE &&
               (!strcmp(last, ".running_mean") || !strcmp(last, ".running_var")));
}

static void check_left_over(struct import *im)
{
    for (ptrdiff_t i = 0; im->ok && i < arrlen(im->file->tensors); i++) {
        const char *name = im->file->tensors[i].name;
        if (!im->used[i] && !is_idle(im, name))
            im->ok = fail(FAULT_INPUT, "tensor %s is not part of the model", name);
    }
}

bool import_state(const struct torch_file *file, const struct import_args *args, struct weights *weights, char ***notes)
{
    *weights = (struct weights){ 0 };
    struct import im = { .file = file, .weights = weights, .ok = true };
    struct config config;
    if (!read_config(&im, args, &config, notes))
        return false;
    weights_init(weights, &config);
    im.used = xcalloc(arrlenu(file->tensors), sizeof *im.used);
    import_embedding(&im);
    for (uint32_t i = 0; i < config.L; i++)
        import_layer(&im, i);
    for (uint32_t m = 0; m < config.M; m++)
        import_decoder(&im, m);
    check_left_over(&im);
    free(im.used);
    if (im.ok && weights_check(weights))
        return true;
    weights_finish(weights);
    return false;
}

static bool read_args_file(const char *path, struct import_args *args)
{
    char *data;
    size_t size;
    if (!file_read(path, ARGS_BYTES_MAX, &data, &size))
        return false;
    bool ok = import_args_parse(data, size, args) || fail_within("%s", file_shown(path));
    free(data);
    return ok;
}

// A state dict as a safetensors file.
static bool parse_safetensors(struct torch_file *file, const char *data, size_t size)
{
    *file = (struct torch_file){ 0 };
    struct safetensors from;
    if (!safetensors_parse(&from, data, size))
        return false;
    for (ptrdiff_t i = 0; i < arrlen(from.tensors); i++) {
        const struct stored *stored = &from.tensors[i];
        struct torch_tensor tensor = { xstrdup(stored->name), stored->shape,
            xcalloc(stored->end - stored->begin + 1, 1) };
        memcpy(tensor.values, from.data + stored->begin, stored->end - stored->begin);
        arrput(file->tensors, tensor);
    }
    safetensors_finish(&from);
    return true;
}

bool import_checkpoint(const char *path, const char *args_path, struct weights *weights, char ***notes)
{
    *weights = (struct weights){ 0 };
    struct import_args args = { 0 };
    char *data;
    size_t size;
    if ((args_path && !read_args_file(args_path, &args)) || !file_read(path, CHECKPOINT_BYTES, &data, &size))
        return false;
    struct torch_file file;
    const char *dot = strrchr(path, '.');
    bool ok =
        dot && !strcmp(dot, ".safetensors") ? parse_safetensors(&file, data, size) : torch_parse(&file, data, size);
    free(data);
    if (ok) {
        ok = import_state(&file, &args, weights, notes);
        torch_finish(&file);
    }
    return ok || fail_within("%s", file_shown(path));
}
