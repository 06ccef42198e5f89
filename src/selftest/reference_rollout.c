// Trajectories of the reference: every decoder on every instance, in lock-step.
#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "selftest/reference_internal.h"
#include "util/alloc.h"
#include "util/rng.h"

bool glimpse_is_due(const struct config *config, uint32_t step)
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

static uint32_t sample(const struct reference_run *run, uint32_t i, const double *log_p, uint32_t N)
{
    uint32_t number[4], action = 0;
    struct rng rng = { run->choice.seed, 98, i % run->B, i / run->B };
    rng_draw(&rng, run->paths[i].walk.steps, number);
    double left = rng_unit(number[0]);
    for (uint32_t v = 0; v < N && left >= 0; v++) {
        if (log_p[v] == TAPE_MASKED)
            continue;
        action = v;
        left -= exp(log_p[v]);
    }
    return action;
}

static void step(
    struct reference_run *run, uint32_t i, const struct embedding *embedding, const struct projection *projection)
{
    struct reference_path *path = &run->paths[i];
    struct mat *log_p = decode(run, i / run->B, &path->walk, embedding, projection);
    uint32_t action = best(log_p->value, log_p->cols, &path->margin);
    if (run->choice.sample)
        action = sample(run, i, log_p->value, log_p->cols);
    if (run->choice.actions) {
        const uint32_t *given = run->choice.actions[i];
        action = path->walk.steps < arrlen(given) ? given[path->walk.steps] : 0;
    }
    path->log_likelihood += log_p->value[action];
    arrput(path->actions, action);
    arrput(path->log_p, log_p);
    walk_visit(&path->walk, action);
}

void run_begin(struct reference_run *run, const struct reference *model, const struct scaled *instances, uint32_t B,
    const struct reference_choice *choice)
{
    *run = (struct reference_run){ .model = model, .instances = instances, .B = B };
    if (choice)
        run->choice = *choice;
    if (run->choice.temperature == 0)
        run->choice.temperature = 1;
    sh_new_strdup(run->slices);
    run->weights = xcalloc((size_t)arrlen(model->tensors), sizeof *run->weights);
    for (ptrdiff_t i = 0; i < arrlen(model->tensors); i++) {
        const struct reference_tensor *tensor = &model->tensors[i];
        uint32_t cols = tensor->dim[tensor->rank - 1];
        run->weights[i] = tape_leaf(&run->tape, (uint32_t)(tensor->count / cols), cols, tensor->value);
    }
}

// A glimpse embeds the unfinished paths again. Live statistics are over finished ones too.
static struct viewer *viewers(const struct reference_run *run, struct embedding *embeddings)
{
    struct viewer *list = NULL;
    for (uint32_t i = 0; i < run->model->config.M * run->B; i++) {
        struct viewer viewer = { &run->paths[i].walk, i / run->B, i % run->B, &embeddings[i] };
        if (!viewer.walk->done || run->model->config.norm == MODEL_BATCH_LIVE)
            arrput(list, viewer);
    }
    return list;
}

static bool all_done(const struct reference_run *run)
{
    for (uint32_t i = 0; i < run->model->config.M * run->B; i++) {
        if (!run->paths[i].walk.done)
            return false;
    }
    return true;
}

void reference_decode(struct reference_run *run, const struct reference *model, const struct scaled *instances,
    uint32_t B, const struct reference_choice *choice)
{
    const uint32_t paths = model->config.M * B;
    run_begin(run, model, instances, B, choice);
    struct plain plain;
    plain_pass(run, &plain);
    struct embedding *embeddings = xcalloc(paths, sizeof *embeddings);
    struct projection *projections = xcalloc(paths, sizeof *projections);
    run->paths = xcalloc(paths, sizeof *run->paths);
    for (uint32_t i = 0; i < paths; i++) {
        run->paths[i].margin = 1;
        walk_begin(&run->paths[i].walk, &instances[i % B]);
        embeddings[i] = plain_embedding(run, &plain, i % B);
    }
    for (uint32_t j = 0; !all_done(run); j++) {
        bool due = glimpse_is_due(&model->config, j);
        if (due) {
            struct viewer *list = viewers(run, embeddings);
            glimpse(run, &plain, j, list, (uint32_t)arrlen(list));
            arrfree(list);
        }
        for (uint32_t i = 0; i < paths; i++) {
            if (run->paths[i].walk.done) {
                walk_visit(&run->paths[i].walk, 0);
                continue;
            }
            if (j == 0 || due)
                projections[i] = project(run, i / B, &embeddings[i]);
            step(run, i, &embeddings[i], &projections[i]);
        }
    }
    for (uint32_t i = 0; i < paths; i++)
        run->paths[i].cost = walk_cost(&run->paths[i].walk);
    plain_finish(&plain);
    free(embeddings);
    free(projections);
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
