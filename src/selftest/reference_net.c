// Encoder, glimpse and decoders: the paper's equations.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "selftest/reference_internal.h"
#include "shaders/args.h"
#include "util/alloc.h"

#define EPSILON 1e-5 // of every normalisation
#define CLIP    10   // of the logits

static struct mat *layer_weight(const struct reference_run *run, uint32_t layer, const char *part)
{
    char name[48];
    snprintf(name, sizeof name, "layer%u.%s", layer, part);
    return weight(run, name);
}

// --- normalisation --------------------------------------------------------------------------------------------------

// The rows that share statistics in one layer. With `given` the statistics are not computed from the rows.
struct grouping {
    uint32_t *group; // of each row
    uint32_t G;
    struct mat *given[2], *used[2];
};

static struct mat *normalise(
    struct reference_run *run, uint32_t layer, int which, struct mat *x, struct grouping *grouping)
{
    struct tape *t = &run->tape;
    struct mat *y;
    if (run->model->config.norm == MODEL_LAYER) {
        uint32_t *all = xcalloc(run->model->config.D, sizeof *all);
        struct mat *across = tape_transpose(t, x);
        y = tape_transpose(t, tape_standardise(t, across, tape_statistics(t, across, all, 1), all, EPSILON));
        free(all);
    } else {
        struct mat *statistics = grouping->given[which];
        if (!statistics)
            statistics = tape_statistics(t, x, grouping->group, grouping->G);
        grouping->used[which] = statistics;
        y = tape_standardise(t, x, statistics, grouping->group, EPSILON);
    }
    y = tape_times(t, y, layer_weight(run, layer, which ? "norm2.gain" : "norm1.gain"));
    return tape_add(t, y, layer_weight(run, layer, which ? "norm2.bias" : "norm1.bias"));
}

// The sublayers after attention: h1 = norm(h + mix W), h2 = norm(h1 + FF(h1)).
static struct mat *after_attention(
    struct reference_run *run, uint32_t layer, struct mat *h, struct mat *mix, struct grouping *grouping)
{
    struct tape *t = &run->tape;
    struct mat *u = tape_product(t, mix, layer_weight(run, layer, "out"));
    struct mat *h1 = normalise(run, layer, 0, tape_add(t, h, u), grouping);
    struct mat *hidden = tape_product(t, h1, layer_weight(run, layer, "ff1.weight"));
    hidden = tape_relu(t, tape_add(t, hidden, layer_weight(run, layer, "ff1.bias")));
    struct mat *f = tape_product(t, hidden, layer_weight(run, layer, "ff2.weight"));
    f = tape_add(t, f, layer_weight(run, layer, "ff2.bias"));
    return normalise(run, layer, 1, tape_add(t, h1, f), grouping);
}

// Entry I of tracked statistics of two normalisations, (.., 2, 2, D).
static void give_tracked(struct reference_run *run, const char *name, uint32_t i, struct grouping *grouping)
{
    for (uint32_t which = 0; which < 2; which++)
        grouping->given[which] = tape_span(&run->tape, weight(run, name), (2 * i + which) * 2, 2);
}

static bool is_tracked(const struct reference *model)
{
    return model->config.norm == MODEL_RUNNING ||
           (model->config.norm == MODEL_BATCH && model->batch_statistics == BATCH_TRACKED);
}

// --- encoder --------------------------------------------------------------------------------------------------------

// Features of a node: the depot's x, y, 1, then a customer's x, y, two columns and 1.
static void features(const struct scaled *s, uint32_t v, double *f)
{
    const float *at = &s->coords[2 * v];
    if (s->problem->has_depot && v == 0) {
        f[0] = at[0];
        f[1] = at[1];
        f[2] = 1;
    } else {
        f[3] = at[0];
        f[4] = at[1];
        f[5] = s->demand ? (double)s->demand[v] / s->capacity : s->prize ? s->prize[v] : 0;
        f[6] = s->penalty ? s->penalty[v] : 0;
        f[7] = 1;
    }
}

static struct mat *embed(struct reference_run *run, uint32_t rows)
{
    double *f = xcalloc(rows, FEATURES * sizeof *f), *row = f;
    for (uint32_t b = 0; b < run->B; b++) {
        for (uint32_t v = 0; v < run->instances[b].N; v++, row += FEATURES)
            features(&run->instances[b], v, row);
    }
    struct mat *leaf = tape_leaf(&run->tape, rows, FEATURES, f);
    free(f);
    return tape_product(&run->tape, leaf, weight(run, "embed"));
}

static struct mat *encoder_layer(
    struct reference_run *run, uint32_t layer, struct mat *h, struct plain *plain, struct grouping *grouping)
{
    struct tape *t = &run->tape;
    const uint32_t B = run->B, D = run->model->config.D;
    struct mat *qkv = tape_product(t, h, layer_weight(run, layer, "qkv")), **mix = xcalloc(B, sizeof *mix);
    plain->input = h;
    plain->q = tape_columns(t, qkv, 0, D);
    for (uint32_t b = 0; b < B; b++) {
        struct mat *own = tape_span(t, qkv, plain->first[b], run->instances[b].N);
        plain->k[b] = tape_columns(t, own, D, D);
        plain->v[b] = tape_columns(t, own, 2 * D, D);
        mix[b] = tape_attention(t, tape_columns(t, own, 0, D), plain->k[b], plain->v[b], run->model->config.H, NULL);
    }
    h = after_attention(run, layer, h, tape_stack(t, mix, B), grouping);
    free(mix);
    return h;
}

void plain_pass(struct reference_run *run, struct plain *plain)
{
    const uint32_t B = run->B, L = run->model->config.L;
    *plain = (struct plain){
        .first = xcalloc(B, sizeof *plain->first), .k = xcalloc(B, sizeof *plain->k), .v = xcalloc(B, sizeof *plain->v)
    };
    uint32_t rows = 0;
    for (uint32_t b = 0; b < B; b++) {
        plain->first[b] = rows;
        rows += run->instances[b].N;
    }
    struct grouping grouping = { .group = xcalloc(rows, sizeof *grouping.group), .G = 1 };
    if (run->model->config.norm == MODEL_INSTANCE) {
        grouping.G = B;
        for (uint32_t b = 0; b < B; b++) {
            for (uint32_t v = 0; v < run->instances[b].N; v++)
                grouping.group[plain->first[b] + v] = b;
        }
    }
    plain->h = embed(run, rows);
    for (uint32_t layer = 0; layer < L; layer++) {
        if (is_tracked(run->model))
            give_tracked(run, "stats.plain", layer, &grouping);
        plain->h = encoder_layer(run, layer, plain->h, plain, &grouping);
    }
    plain->statistics[0] = grouping.used[0];
    plain->statistics[1] = grouping.used[1];
    free(grouping.group);
}

void plain_finish(struct plain *plain)
{
    free(plain->first);
    free(plain->k);
    free(plain->v);
}

struct embedding plain_embedding(struct reference_run *run, const struct plain *plain, uint32_t b)
{
    struct mat *h = tape_span(&run->tape, plain->h, plain->first[b], run->instances[b].N);
    return (struct embedding){ h, tape_mean(&run->tape, h) };
}

// --- glimpse --------------------------------------------------------------------------------------------------------

// The nodes that a glimpse embeds again for one path.
struct glimpse_rows {
    bool *keys;
    uint32_t *row_of; // (N): each node's row among those of all paths, or TAPE_NONE
    uint32_t *from;   // (count): rows of the plain pass
    uint32_t first, count;
};

static struct glimpse_rows choose_rows(
    const struct reference_run *run, const struct walk *walk, uint32_t plain_first, uint32_t first)
{
    const uint32_t N = walk->instance->N;
    enum dialect dialect = run->model->config.dialect;
    struct glimpse_rows r = { .keys = xcalloc(N, sizeof *r.keys),
        .row_of = xcalloc(N, sizeof *r.row_of),
        .from = xcalloc(N, sizeof *r.from),
        .first = first };
    walk_keys(walk, dialect, r.keys);
    for (uint32_t v = 0; v < N; v++) {
        bool again = dialect == DIALECT_REFERENCE || r.keys[v];
        r.row_of[v] = again ? first + r.count : TAPE_NONE;
        if (again)
            r.from[r.count++] = plain_first + v;
    }
    return r;
}

static bool takes_plain_statistics(const struct reference *model)
{
    return model->config.norm == MODEL_INSTANCE && model->config.dialect == DIALECT_NATIVE;
}

// The group of viewer I's rows.
static uint32_t group_of(const struct reference *model, uint32_t i, const struct viewer *viewer)
{
    if (model->config.norm == MODEL_INSTANCE)
        return takes_plain_statistics(model) ? viewer->b : i;
    bool by_decoder = model->config.norm == MODEL_BATCH_LIVE ||
                      (model->config.norm == MODEL_BATCH && model->batch_statistics == BATCH_DECODERS);
    return by_decoder ? viewer->m : 0;
}

static void give_statistics(
    struct reference_run *run, const struct plain *plain, uint32_t step, struct grouping *grouping)
{
    const struct config *config = &run->model->config;
    if (takes_plain_statistics(run->model)) {
        grouping->given[0] = plain->statistics[0];
        grouping->given[1] = plain->statistics[1];
    } else if (is_tracked(run->model) && config->norm == MODEL_BATCH && config->O) {
        uint32_t occasion = step / config->p - 1;
        give_tracked(run, "stats.glimpse", occasion < config->O ? occasion : config->O - 1, grouping);
    } else if (is_tracked(run->model)) {
        give_tracked(run, "stats.plain", config->L - 1, grouping);
    }
}

void glimpse(
    struct reference_run *run, const struct plain *plain, uint32_t step, const struct viewer *viewers, uint32_t count)
{
    struct tape *t = &run->tape;
    struct glimpse_rows *rows = xcalloc(count, sizeof *rows);
    struct mat **mix = xcalloc(count, sizeof *mix), **input = xcalloc(count, sizeof *input);
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t b = viewers[i].b;
        rows[i] = choose_rows(run, viewers[i].walk, plain->first[b], total);
        total += rows[i].count;
        struct mat *q = tape_rows(t, plain->q, rows[i].from, rows[i].count);
        mix[i] = tape_attention(t, q, plain->k[b], plain->v[b], run->model->config.H, rows[i].keys);
        input[i] = tape_rows(t, plain->input, rows[i].from, rows[i].count);
    }
    struct grouping grouping = { .group = xcalloc(total, sizeof *grouping.group), .G = count + run->model->config.M };
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t r = 0; r < rows[i].count; r++)
            grouping.group[rows[i].first + r] = group_of(run->model, i, &viewers[i]);
    }
    give_statistics(run, plain, step, &grouping);
    struct mat *h = after_attention(
        run, run->model->config.L - 1, tape_stack(t, input, count), tape_stack(t, mix, count), &grouping);
    for (uint32_t i = 0; i < count; i++) {
        *viewers[i].embedding = (struct embedding){ tape_rows(t, h, rows[i].row_of, viewers[i].walk->instance->N),
            tape_mean(t, tape_span(t, h, rows[i].first, rows[i].count)) };
        free(rows[i].keys);
        free(rows[i].row_of);
        free(rows[i].from);
    }
    free(grouping.group);
    free(rows);
    free(mix);
    free(input);
}

// --- decoder --------------------------------------------------------------------------------------------------------

struct projection project(struct reference_run *run, uint32_t m, const struct embedding *embedding)
{
    return (struct projection){ tape_product(&run->tape, embedding->h, decoder_weight(run, "decoder.kvl", m)),
        tape_product(&run->tape, embedding->mean, decoder_weight(run, "decoder.fixed", m)) };
}

// First and current node (before the first step, learned values); or the current node and the state's scalar.
static struct mat *context(struct reference_run *run, const struct walk *walk, struct mat *h)
{
    struct tape *t = &run->tape;
    if (walk->instance->problem->context) {
        double scalars[CONTEXT_SCALARS] = { walk_scalar(walk) };
        return tape_beside(t, tape_span(t, h, walk->current, 1), tape_leaf(t, 1, CONTEXT_SCALARS, scalars));
    }
    if (walk->steps == 0)
        return weight(run, "placeholder");
    return tape_beside(t, tape_span(t, h, walk->first, 1), tape_span(t, h, walk->current, 1));
}

// Adds the contribution of undelivered demand to every node's keys and values.
static struct mat *add_dynamic(struct reference_run *run, const struct walk *walk, struct mat *kvl)
{
    const uint32_t N = walk->instance->N;
    double *share = xcalloc(N, sizeof *share);
    for (uint32_t v = 0; v < N; v++)
        share[v] = (double)walk->left[v] / walk->instance->capacity;
    struct mat *extra = tape_product(&run->tape, tape_leaf(&run->tape, N, 1, share), weight(run, "dynamic"));
    free(share);
    return tape_add(&run->tape, kvl, extra);
}

struct mat *decode(struct reference_run *run, uint32_t m, const struct walk *walk, const struct embedding *embedding,
    const struct projection *projection)
{
    struct tape *t = &run->tape;
    const uint32_t D = run->model->config.D;
    struct mat *kvl = projection->kvl;
    if (walk->left)
        kvl = add_dynamic(run, walk, kvl);
    struct mat *keys = tape_columns(t, kvl, 0, D), *values = tape_columns(t, kvl, D, D);
    struct mat *logit_keys = tape_columns(t, kvl, 2 * D, D);
    struct mat *q = tape_product(t, context(run, walk, embedding->h), decoder_weight(run, "decoder.step", m));
    q = tape_add(t, q, projection->fixed);
    struct mat *mix = tape_attention(t, q, keys, values, run->model->config.H, walk->allowed);
    struct mat *g = tape_product(t, mix, decoder_weight(run, "decoder.out", m));
    struct mat *logits = tape_scale(t, tape_product_t(t, g, logit_keys), 1 / sqrt(D));
    logits = tape_scale(t, tape_tanh(t, logits), CLIP / run->choice.temperature);
    return tape_log_softmax(t, logits, walk->allowed);
}
