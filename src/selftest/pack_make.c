// Makes our own packs: random weights and instances, and the reference's results.
#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "selftest/pack.h"
#include "util/alloc.h"
#include "util/error.h"

// Greedy decisions closer than this may differ in single precision.
#define CLEAR 2e-3

static void draw_instances(struct pack *pack, const struct pack_recipe *recipe, uint64_t seed)
{
    const struct problem *problem = recipe->config.problem;
    struct distribution distribution = { .n_min = recipe->n_min, .n_max = recipe->n_max, .prize = PRIZE_DIST };
    if (problem->many_routes) // small, so that there are many routes
        distribution.capacity_min = distribution.capacity_max = 16;
    pack->B = recipe->B;
    pack->scaled = xcalloc(pack->B, sizeof *pack->scaled);
    for (uint32_t b = 0; b < pack->B; b++) {
        struct instance instance;
        problem->generate(&instance, &distribution, seed, b);
        scaled_init(&pack->scaled[b], &instance);
        arrput(pack->instances, instance);
    }
}

static double min_margin(const struct reference_run *run)
{
    double margin = 1;
    for (uint32_t i = 0; i < run->model->config.M * run->B; i++)
        margin = fmin(margin, run->paths[i].margin);
    return margin;
}

void pack_copy_paths(const struct reference_run *run, uint32_t steps, uint32_t with_log_p, struct pack_path *to)
{
    for (uint32_t i = 0; i < run->model->config.M * run->B; i++) {
        const struct reference_path *from = &run->paths[i];
        to[i].cost = from->cost;
        to[i].log_likelihood = from->log_likelihood;
        for (ptrdiff_t j = 0; j < arrlen(from->actions); j++) {
            arrput(to[i].actions, from->actions[j]);
            for (uint32_t v = 0; j < steps && i < with_log_p && v < from->log_p[j]->cols; v++)
                arrput(to[i].log_p, from->log_p[j]->value[v]);
        }
    }
}

static void make_train(struct pack *pack, struct reference *model, uint64_t seed)
{
    const uint32_t B = pack->B, M = model->config.M;
    pack->kl_coefficient = 0.01;
    pack->baseline = xcalloc(B, sizeof *pack->baseline);
    for (uint32_t i = 0; i < M * B; i++) {
        double *min_cost = &pack->baseline[i % B], cost = pack->greedy[i].cost;
        *min_cost = i < B ? cost : fmin(*min_cost, cost);
    }
    struct reference_run run;
    model->batch_statistics = BATCH_ALL;
    reference_decode(&run, model, pack->scaled, B, &(struct reference_choice){ .sample = true, .seed = seed });
    pack->train = pack_paths(pack);
    pack_copy_paths(&run, UINT32_MAX, B, pack->train);
    pack->kl = reference_kl(&run);
    pack->loss = reference_backward(model, &run, pack->baseline, pack->kl_coefficient);
    reference_run_finish(&run);
    model->batch_statistics = BATCH_TRACKED;
    weights_init(&pack->gradient, &model->config);
    reference_store(model, true, &pack->gradient);
    double sum = 0;
    for (uint64_t k = 0; k < pack->gradient.count; k++)
        sum += (double)pack->gradient.values[k] * pack->gradient.values[k];
    pack->gradient_norm = sqrt(sum);
}

static void make_beams(struct pack *pack, struct reference *model)
{
    static const struct pack_beam shapes[] = { { .width = 1, .expand = 3, .merge = true },
        { .width = 4, .expand = 3, .merge = true }, { .width = 3, .expand = 2, .merge = false } };
    const uint32_t B = pack->B, M = model->config.M;
    enum model_norm norm = model->config.norm;
    if (norm == MODEL_BATCH_LIVE)
        model->config.norm = MODEL_INSTANCE;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct pack_beam beam = shapes[i];
        beam.norm = model->config.norm;
        beam.best = xcalloc(B, sizeof *beam.best);
        beam.decoder = xcalloc(M * B, sizeof *beam.decoder);
        double *cost = xcalloc(M, sizeof *cost);
        for (uint32_t b = 0; b < B; b++) {
            reference_beam(model, &pack->scaled[b], beam.width, beam.expand, beam.merge, cost, NULL);
            beam.best[b] = INFINITY;
            for (uint32_t m = 0; m < M; m++) {
                beam.decoder[m * B + b] = cost[m];
                beam.best[b] = fmin(beam.best[b], cost[m]);
            }
        }
        free(cost);
        arrput(pack->beams, beam);
    }
    model->config.norm = norm;
}

static bool try_seed(struct pack *pack, const struct pack_recipe *recipe, uint64_t seed)
{
    *pack = (struct pack){ 0 };
    draw_instances(pack, recipe, seed);
    struct reference model;
    reference_init(&model, &recipe->config);
    reference_randomise(&model, seed, 1.25);
    weights_init(&pack->weights, &recipe->config);
    reference_store(&model, false, &pack->weights);
    struct reference_run run;
    reference_decode(&run, &model, pack->scaled, pack->B, NULL);
    pack->margin = min_margin(&run);
    bool clear = pack->margin >= CLEAR;
    if (clear) {
        pack->greedy = pack_paths(pack);
        pack_copy_paths(&run, 1, UINT32_MAX, pack->greedy);
        make_train(pack, &model, seed);
        make_beams(pack, &model);
    }
    reference_run_finish(&run);
    reference_finish(&model);
    return clear;
}

void pack_make(struct pack *pack, const struct pack_recipe *recipe)
{
    for (uint64_t seed = 1; !try_seed(pack, recipe, seed); seed++) {
        pack_finish(pack);
        if (seed == 200)
            bug("no pack of clear decisions");
    }
    pack->ties_as_ours = true;
}
