// Weights and trajectories of the reference.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "model/params.h"
#include "reference_internal.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/rng.h"

// --- weights --------------------------------------------------------------------------------------------------------

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
        uint32_t padded = !strcmp(tensor->name, "decoder.step") && model->config.problem->has_depot;
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

static void put_weights(struct reference_run *run)
{
    const struct reference_tensor *tensors = run->model->tensors;
    run->weights = xcalloc((size_t)arrlen(tensors), sizeof *run->weights);
    for (ptrdiff_t i = 0; i < arrlen(tensors); i++) {
        uint32_t cols = tensors[i].dim[tensors[i].rank - 1];
        run->weights[i] = tape_leaf(&run->tape, (uint32_t)(tensors[i].count / cols), cols, tensors[i].value);
    }
}

// --- trajectories ---------------------------------------------------------------------------------------------------

static bool is_due(const struct config *config, uint32_t step)
{
    return config->p && step % config->p == 0 && step > (config->dialect == DIALECT_REFERENCE ? 1 : 0);
}

static uint32_t best(const double *log_p, uint32_t N, double *margin)
{
    uint32_t first = 0;
    for (uint32_t v = 1; v < N; v++)
        first = log_p[v] > log_p[first] ? v : first;
    for (uint32_t v = 0; v < N; v++) {
        if (v != first)
            *margin = fmin(*margin, 1 - exp(log_p[v] - log_p[first]));
    }
    return first;
}

static void step(struct reference_run *run, uint32_t i, const struct embedding *embedding,
    const struct projection *projection, const uint32_t *actions)
{
    struct reference_path *path = &run->paths[i];
    struct mat *log_p = decode(run, i / run->B, &path->walk, embedding, projection);
    uint32_t action = best(log_p->value, log_p->cols, &path->margin);
    if (actions)
        action = path->walk.steps < arrlen(actions) ? actions[path->walk.steps] : 0;
    path->log_likelihood += log_p->value[action];
    arrput(path->actions, action);
    arrput(path->log_p, log_p);
    walk_visit(&path->walk, action);
}

// Marks the paths that a glimpse embeds again. Live statistics are over finished ones too.
static bool mark(const struct reference_run *run, bool *marked, bool *going)
{
    bool any = false, all = run->model->config.norm == MODEL_BATCH_LIVE;
    for (uint32_t i = 0; i < run->model->config.M * run->B; i++) {
        going[i] = !run->paths[i].walk.done;
        marked[i] = going[i] || all;
        any = any || going[i];
    }
    return any;
}

void reference_decode(struct reference_run *run, const struct reference *model, const struct scaled *instances,
    uint32_t B, uint32_t *const *actions, double temperature)
{
    const uint32_t paths = model->config.M * B;
    *run = (struct reference_run){ .model = model, .instances = instances, .B = B, .temperature = temperature };
    run->paths = xcalloc(paths, sizeof *run->paths);
    sh_new_strdup(run->slices);
    put_weights(run);
    struct plain plain;
    plain_pass(run, &plain);
    struct embedding *embeddings = xcalloc(paths, sizeof *embeddings);
    struct projection *projections = xcalloc(paths, sizeof *projections);
    bool *marked = xcalloc(paths, sizeof *marked), *going = xcalloc(paths, sizeof *going);
    for (uint32_t i = 0; i < paths; i++) {
        run->paths[i].margin = 1;
        walk_begin(&run->paths[i].walk, &instances[i % B]);
        embeddings[i] = plain_embedding(run, &plain, i % B);
    }
    for (uint32_t j = 0; mark(run, marked, going); j++) {
        bool due = is_due(&model->config, j);
        if (due)
            glimpse(run, &plain, j, marked, embeddings);
        for (uint32_t i = 0; i < paths; i++) {
            if (j == 0 || (due && marked[i]))
                projections[i] = project(run, i / B, &embeddings[i]);
            if (going[i])
                step(run, i, &embeddings[i], &projections[i], actions ? actions[i] : NULL);
            else
                walk_visit(&run->paths[i].walk, 0);
        }
    }
    for (uint32_t i = 0; i < paths; i++)
        run->paths[i].cost = walk_cost(&run->paths[i].walk);
    plain_finish(&plain);
    free(embeddings);
    free(projections);
    free(marked);
    free(going);
}

void reference_run_finish(struct reference_run *run)
{
    for (uint32_t i = 0; run->paths && i < run->model->config.M * run->B; i++) {
        walk_finish(&run->paths[i].walk);
        arrfree(run->paths[i].actions);
        arrfree(run->paths[i].log_p);
    }
    free(run->paths);
    free(run->weights);
    shfree(run->slices);
    tape_finish(&run->tape);
}
