#include "tests/checkpoint/released.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "util/alloc.h"

// Adds a tensor of zeros and gives its numbers.
static float *add(struct torch_out **state, int rank, uint32_t a, uint32_t b, uint32_t c, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

static float *add(struct torch_out **state, int rank, uint32_t a, uint32_t b, uint32_t c, const char *format, ...)
{
    struct torch_out tensor = { .rank = rank, .dim = { a, b, c } };
    va_list args;
    va_start(args, format);
    vsnprintf(tensor.name, sizeof tensor.name, format, args);
    va_end(args);
    tensor.bytes = 4 * a * (rank > 1 ? b : 1) * (rank > 2 ? c : 1);
    tensor.data = xcalloc(tensor.bytes, 1);
    arrput(*state, tensor);
    return tensor.data;
}

// A vector, and a Linear's weight (outputs, inputs) from FROM (inputs, outputs).
static void add_vector(struct torch_out **state, const char *prefix, const char *name, const float *from, uint32_t n)
{
    memcpy(add(state, 1, n, 0, 0, "%s%s", prefix, name), from, n * sizeof *from);
}

static void add_linear(struct torch_out **state, const char *prefix, const char *name, const float *from,
    uint32_t inputs, uint32_t outputs)
{
    float *to = add(state, 2, outputs, inputs, 0, "%s%s", prefix, name);
    for (uint32_t o = 0; o < outputs; o++) {
        for (uint32_t i = 0; i < inputs; i++)
            *to++ = from[i * outputs + o];
    }
}

static void add_attention(
    struct torch_out **state, const char *prefix, const struct weights *w, const struct layer_params *layer)
{
    uint32_t D = w->config.D, H = w->config.H, dk = D / H;
    const char *const names[] = { "W_query", "W_key", "W_val" };
    const float *qkv = weights_at(w, layer->qkv);
    for (uint32_t block = 0; block < 3; block++) {
        float *to = add(state, 3, H, D, dk, "%s%s", prefix, names[block]);
        for (uint32_t z = 0; z < H; z++) {
            for (uint32_t i = 0; i < D; i++) {
                for (uint32_t k = 0; k < dk; k++)
                    *to++ = qkv[i * 3 * D + block * D + z * dk + k];
            }
        }
    }
    memcpy(add(state, 3, H, dk, D, "%sW_out", prefix), weights_at(w, layer->out), 4 * (size_t)D * D);
}

static void add_norm(struct torch_out **state, const char *prefix, const struct weights *w,
    const struct norm_params *norm, const float *stats, bool tracked)
{
    uint32_t D = w->config.D;
    add_vector(state, prefix, "weight", weights_at(w, norm->gain), D);
    add_vector(state, prefix, "bias", weights_at(w, norm->bias), D);
    if (!tracked)
        return;
    float *made_up = xcalloc(2 * D, sizeof *made_up);
    add_vector(state, prefix, "running_mean", stats ? stats : made_up, D);
    add_vector(state, prefix, "running_var", stats ? stats + D : made_up, D);
    free(made_up);
    struct torch_out counter = { .storage = "LongStorage", .bytes = 8, .data = xcalloc(8, 1) };
    snprintf(counter.name, sizeof counter.name, "%snum_batches_tracked", prefix);
    arrput(*state, counter);
}

static void add_layer(struct torch_out **state, const struct weights *w, uint32_t index, bool single, bool tracked)
{
    const struct config *c = &w->config;
    const struct layer_params *layer = &w->params.layers[index];
    const float *stats = w->stats.plain.rank ? weights_at(w, w->stats.plain) + index * 4 * c->D : NULL;
    char at[4][64] = { "embedder.attention_layer.", "embedder.BN1.normalizer.", "embedder.projection.module.",
        "embedder.BN2.normalizer." };
    for (uint32_t part = 0; part < 4; part++) {
        const char *kind = part % 2 ? "normalizer" : "module";
        if (single)
            snprintf(at[part], sizeof at[part], "embedder.layers.%u.%u.%s.", index, part, kind);
        else if (index < c->L - 1)
            snprintf(at[part], sizeof at[part], "embedder.layers.%u.%s.", index * 4 + part, kind);
    }
    add_attention(state, at[0], w, layer);
    add_norm(state, at[1], w, &layer->norm1, stats, tracked);
    add_linear(state, at[2], "0.weight", weights_at(w, layer->ff1), c->D, c->F);
    add_vector(state, at[2], "0.bias", weights_at(w, layer->ff1_bias), c->F);
    add_linear(state, at[2], "2.weight", weights_at(w, layer->ff2), c->F, c->D);
    add_vector(state, at[2], "2.bias", weights_at(w, layer->ff2_bias), c->D);
    add_norm(state, at[3], w, &layer->norm2, stats ? stats + 2 * c->D : NULL, tracked);
}

struct torch_out *released_state(const struct weights *w, bool single, bool tracked)
{
    struct torch_out *state = NULL;
    uint32_t D = w->config.D, depot = w->config.problem->has_depot;
    uint32_t columns = !depot ? 2 : w->config.problem->objective & QUANTITY_PENALTY ? 4 : 3;
    uint32_t context = depot ? D + 1 : 2 * D, rows = depot ? D + 8 : 2 * D;
    const float *embed = weights_at(w, w->params.embed);
    if (depot) {
        add_linear(&state, "init_embed_depot.", "weight", embed, 2, D);
        add_vector(&state, "init_embed_depot.", "bias", embed + 2 * D, D);
    } else {
        add_vector(&state, "", "W_placeholder", weights_at(w, w->params.placeholder), 2 * D);
    }
    if (w->config.problem->splits)
        add_linear(&state, "project_node_step.", "weight", weights_at(w, w->params.dynamic), 1, 3 * D);
    add_linear(&state, "init_embed.", "weight", embed + 3 * D, columns, D);
    add_vector(&state, "init_embed.", "bias", embed + 7 * D, D);
    for (uint32_t i = 0; i < w->config.L; i++)
        add_layer(&state, w, i, single, tracked);
    for (uint32_t m = 0; m < w->config.M; m++) {
        char name[24] = "weight";
        if (!single)
            snprintf(name, sizeof name, "%u.weight", m);
        add_linear(&state, "project_node_embeddings.", name, weights_at(w, w->params.kvl) + m * D * 3 * D, D, 3 * D);
        add_linear(&state, "project_fixed_context.", name, weights_at(w, w->params.fixed) + m * D * D, D, D);
        add_linear(&state, "project_step_context.", name, weights_at(w, w->params.step) + m * rows * D, context, D);
        add_linear(&state, "project_out.", name, weights_at(w, w->params.out) + m * D * D, D, D);
    }
    return state;
}

void released_finish(struct torch_out **state)
{
    for (ptrdiff_t i = 0; i < arrlen(*state); i++)
        free((*state)[i].data);
    arrfree(*state);
}

struct text released_file(const struct torch_out *state, bool zip, const struct torch_options *options)
{
    struct text pickle = torch_pickle(state, arrlenu(state), !zip, options);
    struct text file =
        zip ? torch_zip(&pickle, state, arrlenu(state), "archive") : torch_legacy(&pickle, state, arrlenu(state));
    text_finish(&pickle);
    return file;
}
