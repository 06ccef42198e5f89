#include "checkpoint/export.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "archive/zip_write.h"
#include "checkpoint/import.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/text.h"

// A tensor of the released program.
struct exported {
    char name[80];
    struct tensor shape;
    float *values;
};

struct export
{
    const struct weights *weights;
    bool single;           // names of the attention model
    struct exported *list; // stb_ds array
};

// --- the state dict -------------------------------------------------------------------------------------------------

// Adds a tensor of zeros and gives its numbers.
static float *add(struct export *ex, int rank, uint32_t a, uint32_t b, uint32_t c, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

static float *add(struct export *ex, int rank, uint32_t a, uint32_t b, uint32_t c, const char *format, ...)
{
    struct exported tensor = { .shape = { .rank = rank, .dim = { a, b, c } } };
    va_list args;
    va_start(args, format);
    vsnprintf(tensor.name, sizeof tensor.name, format, args);
    va_end(args);
    tensor.values = xcalloc(tensor_count(&tensor.shape), sizeof *tensor.values);
    arrput(ex->list, tensor);
    return tensor.values;
}

static void add_vector(struct export *ex, const char *prefix, const char *name, const float *from, uint32_t count)
{
    memcpy(add(ex, 1, count, 0, 0, "%s%s", prefix, name), from, count * sizeof *from);
}

// inputs x outputs as a Linear's weight (outputs, inputs).
static void add_linear(
    struct export *ex, const char *prefix, const char *name, const float *from, uint32_t inputs, uint32_t outputs)
{
    float *to = add(ex, 2, outputs, inputs, 0, "%s%s", prefix, name);
    for (uint32_t o = 0; o < outputs; o++) {
        for (uint32_t i = 0; i < inputs; i++)
            *to++ = from[(size_t)i * outputs + o];
    }
}

static void add_embedding(struct export *ex)
{
    const struct weights *w = ex->weights;
    const struct config *c = &w->config;
    const float *embed = weights_at(w, w->params.embed);
    if (c->problem->has_depot) {
        add_linear(ex, "init_embed_depot.", "weight", embed, 2, c->D);
        add_vector(ex, "init_embed_depot.", "bias", embed + 2 * (size_t)c->D, c->D);
    } else {
        add_vector(ex, "", "W_placeholder", weights_at(w, w->params.placeholder), 2 * c->D);
    }
    if (c->problem->splits)
        add_linear(ex, "project_node_step.", "weight", weights_at(w, w->params.dynamic), 1, 3 * c->D);
    add_linear(
        ex, "init_embed.", "weight", embed + FEATURES_CUSTOMER * (size_t)c->D, customer_inputs(c->problem), c->D);
    add_vector(ex, "init_embed.", "bias", embed + FEATURES_BIAS * (size_t)c->D, c->D);
}

static void add_attention(struct export *ex, const char *prefix, const struct layer_params *layer)
{
    const uint32_t D = ex->weights->config.D, H = ex->weights->config.H, part = D / H;
    static const char *const names[] = { "W_query", "W_key", "W_val" };
    const float *qkv = weights_at(ex->weights, layer->qkv);
    for (size_t block = 0; block < 3; block++) {
        float *to = add(ex, 3, H, D, part, "%s%s", prefix, names[block]);
        for (size_t z = 0; z < H; z++) {
            for (size_t i = 0; i < D; i++)
                memcpy(to + (z * D + i) * part, qkv + i * 3 * D + block * D + z * part, part * sizeof *to);
        }
    }
    memcpy(
        add(ex, 3, H, part, D, "%sW_out", prefix), weights_at(ex->weights, layer->out), (size_t)D * D * sizeof(float));
}

// STATS: tracked, or NULL. The multi-decoder program tracks some that it never uses; without them it would take the
// normalisation for one of instances.
static void add_norm(struct export *ex, const char *prefix, const struct norm_params *norm, const float *stats)
{
    const struct config *c = &ex->weights->config;
    add_vector(ex, prefix, "weight", weights_at(ex->weights, norm->gain), c->D);
    add_vector(ex, prefix, "bias", weights_at(ex->weights, norm->bias), c->D);
    if (c->norm == MODEL_INSTANCE)
        return;
    float *mean = add(ex, 1, c->D, 0, 0, "%srunning_mean", prefix);
    float *variance = add(ex, 1, c->D, 0, 0, "%srunning_var", prefix);
    for (uint32_t i = 0; i < c->D; i++) {
        mean[i] = stats ? stats[i] : 0;
        variance[i] = stats ? stats[c->D + i] : 1;
    }
}

static void add_layer(struct export *ex, uint32_t index)
{
    const struct weights *w = ex->weights;
    const struct config *c = &w->config;
    const struct layer_params *layer = &w->params.layers[index];
    const float *stats = w->stats.plain.rank ? weights_at(w, w->stats.plain) + (size_t)4 * c->D * index : NULL;
    char at[4][RELEASED_NAME];
    for (uint32_t part = 0; part < 4; part++)
        released_part_name(ex->single, c->L, index, part, at[part]);
    add_attention(ex, at[0], layer);
    add_norm(ex, at[1], &layer->norm1, stats);
    add_linear(ex, at[2], "0.weight", weights_at(w, layer->ff1), c->D, c->F);
    add_vector(ex, at[2], "0.bias", weights_at(w, layer->ff1_bias), c->F);
    add_linear(ex, at[2], "2.weight", weights_at(w, layer->ff2), c->F, c->D);
    add_vector(ex, at[2], "2.bias", weights_at(w, layer->ff2_bias), c->D);
    add_norm(ex, at[3], &layer->norm2, stats ? stats + 2 * (size_t)c->D : NULL);
}

static void add_decoder(struct export *ex, uint32_t m)
{
    const struct weights *w = ex->weights;
    const struct config *c = &w->config;
    const struct {
        const char *prefix;
        struct tensor tensor;
        uint32_t inputs;
    } list[] = { { "project_node_embeddings.", w->params.kvl, c->D },
        { "project_fixed_context.", w->params.fixed, c->D },
        { "project_step_context.", w->params.step, context_inputs(c) }, { "project_out.", w->params.out, c->D } };
    char name[32] = "weight";
    if (!ex->single)
        snprintf(name, sizeof name, "%u.weight", m);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct tensor tensor = list[i].tensor;
        const float *from = weights_at(w, tensor) + m * (size_t)tensor.dim[1] * tensor.dim[2];
        add_linear(ex, list[i].prefix, name, from, list[i].inputs, tensor.dim[2]);
    }
}

static void add_all(struct export *ex)
{
    add_embedding(ex);
    for (uint32_t i = 0; i < ex->weights->config.L; i++)
        add_layer(ex, i);
    for (uint32_t m = 0; m < ex->weights->config.M; m++)
        add_decoder(ex, m);
}

// --- files ----------------------------------------------------------------------------------------------------------

static void add_little(struct text *p, uint32_t number)
{
    text_add_bytes(p, (char[]){ (char)number, (char)(number >> 8), (char)(number >> 16), (char)(number >> 24) }, 4);
}

static void pickle_text(struct text *p, const char *text)
{
    text_add_bytes(p, "X", 1);
    add_little(p, (uint32_t)strlen(text));
    text_add_bytes(p, text, strlen(text));
}

static void pickle_number(struct text *p, uint32_t number)
{
    text_add_bytes(p, "J", 1);
    add_little(p, number);
}

#define OPCODES(p, bytes) text_add_bytes(p, bytes, sizeof bytes - 1)

// torch._utils._rebuild_tensor_v2(storage, 0, sizes, strides, False, OrderedDict())
static void pickle_tensor(struct text *p, const struct exported *tensor, size_t key)
{
    char number[24];
    uint32_t count = (uint32_t)tensor_count(&tensor->shape);
    snprintf(number, sizeof number, "%zu", key);
    OPCODES(p, "ctorch._utils\n_rebuild_tensor_v2\n((");
    pickle_text(p, "storage");
    OPCODES(p, "ctorch\nFloatStorage\n");
    pickle_text(p, number);
    pickle_text(p, "cpu");
    pickle_number(p, count);
    OPCODES(p, "tQK\0(");
    for (int k = 0; k < tensor->shape.rank; k++)
        pickle_number(p, tensor->shape.dim[k]);
    OPCODES(p, "t(");
    for (int k = 0; k < tensor->shape.rank; k++)
        pickle_number(p, count /= tensor->shape.dim[k]);
    OPCODES(p, "t\x89"
               "ccollections\nOrderedDict\n)RtR");
}

// {"model": OrderedDict of the tensors}
static bool torch_file(struct text *file, const struct export *ex)
{
    struct zip_writer zip = { 0 };
    struct text p = { 0 };
    OPCODES(&p, "\x80\2}");
    pickle_text(&p, "model");
    OPCODES(&p, "ccollections\nOrderedDict\n)R(");
    for (size_t i = 0; i < arrlenu(ex->list); i++) {
        pickle_text(&p, ex->list[i].name);
        pickle_tensor(&p, &ex->list[i], i);
    }
    OPCODES(&p, "us.");
    zip_write_add(&zip, "archive/data.pkl", p.data, p.size, false);
    zip_write_add(&zip, "archive/byteorder", "little", 6, false);
    for (size_t i = 0; i < arrlenu(ex->list); i++) {
        char name[40];
        snprintf(name, sizeof name, "archive/data/%zu", i);
        zip_write_add(&zip, name, ex->list[i].values, 4 * tensor_count(&ex->list[i].shape), false);
    }
    zip_write_add(&zip, "archive/version", "3\n", 2, false);
    bool ok = zip_write_end(&zip);
    *file = zip.file;
    text_finish(&zip.directory);
    text_finish(&p);
    return ok;
}

static bool safetensors_file(struct text *file, const struct export *ex)
{
    struct text head = { 0 };
    uint64_t at = 0;
    text_add(&head, "{\"__metadata__\":{\"format\":\"pt\"}");
    for (size_t i = 0; i < arrlenu(ex->list); i++) {
        const struct tensor *shape = &ex->list[i].shape;
        uint64_t bytes = 4 * tensor_count(shape);
        text_add(&head, ",\"%s\":{\"dtype\":\"F32\",\"shape\":[", ex->list[i].name);
        for (int k = 0; k < shape->rank; k++)
            text_add(&head, "%s%u", k ? "," : "", shape->dim[k]);
        text_add(&head, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)at, (unsigned long long)(at + bytes));
        at += bytes;
    }
    text_add(&head, "}");
    while (head.size % 8)
        text_add(&head, " ");
    add_little(file, (uint32_t)head.size);
    add_little(file, 0);
    text_add_bytes(file, head.data, head.size);
    for (size_t i = 0; i < arrlenu(ex->list); i++)
        text_add_bytes(file, ex->list[i].values, 4 * tensor_count(&ex->list[i].shape));
    text_finish(&head);
    return true;
}

static bool write_args(const char *path, const struct config *c, bool attention)
{
    struct text text = { 0 };
    text_add(&text, "{\"problem\":\"%s\",\"n_paths\":%u,\"embedding_dim\":%u,\"n_encode_layers\":%u,",
        c->problem->released, c->M, c->D, c->L);
    if (c->trained.n_max)
        text_add(&text, "\"graph_size\":%u,", c->trained.n_max);
    if (!attention)
        text_add(&text, "\"n_EG\":%u,", c->p ? c->p : RELEASED_NO_GLIMPSE);
    if (c->problem->prize_kinds)
        text_add(&text, "\"data_distribution\":\"%s\",", prize_kind_name(c->trained.prize));
    text_add(&text, "\"normalization\":\"%s\"}\n", c->norm == MODEL_INSTANCE ? "instance" : "batch");
    bool ok = file_write(path, text.data, text.size);
    text_finish(&text);
    return ok;
}

// --- what the released programs know --------------------------------------------------------------------------------

static bool check(const struct config *c, bool attention)
{
    if (!c->problem->released)
        return fail(FAULT_INPUT, "the released programs do not know %s", c->problem->name);
    if (c->norm == MODEL_LAYER)
        return fail(FAULT_INPUT, "the released programs have no layer normalisation");
    if (!attention)
        return true;
    if (c->M != 1 || c->p)
        return fail(FAULT_INPUT, "the attention model has one decoder and no glimpse, not %u decoder%s and %s", c->M,
            c->M == 1 ? "" : "s", c->p ? "glimpses" : "none");
    return c->norm != MODEL_BATCH_LIVE ||
           fail(FAULT_INPUT, "it has no tracked statistics, which the attention model normalises with");
}

static void add_notes(const struct config *c, char ***notes)
{
    if (c->dialect == DIALECT_NATIVE && c->p)
        arrput(*notes, xstrdup("the released program computes another glimpse, so that its answers differ"));
    if (c->norm == MODEL_BATCH && c->p)
        arrput(*notes, xstrdup("the released program normalises with statistics of the batch, not with tracked ones"));
}

bool export_checkpoint(
    const char *path, const char *args_path, const struct weights *weights, bool attention, char ***notes)
{
    struct export ex = { .weights = weights, .single = attention };
    const char *dot = strrchr(path, '.');
    bool safetensors = dot && !strcmp(dot, ".safetensors");
    if (!check(&weights->config, attention))
        return false;
    if (!safetensors && (!dot || strcmp(dot, ".pt")))
        return fail(FAULT_INPUT, "%s: the ending is neither .pt nor .safetensors", file_shown(path));
    add_notes(&weights->config, notes);
    add_all(&ex);
    struct text file = { 0 };
    bool ok = (safetensors ? safetensors_file(&file, &ex) : torch_file(&file, &ex)) &&
              file_write(path, file.data, file.size) &&
              (!args_path || write_args(args_path, &weights->config, attention));
    for (size_t i = 0; i < arrlenu(ex.list); i++)
        free(ex.list[i].values);
    arrfree(ex.list);
    text_finish(&file);
    return ok;
}
