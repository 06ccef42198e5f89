// The engine as a subject of parity packs: the model on the device that the environment selects.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "model/gradient.h"
#include "search/beam.h"
#include "selftest/parity.h"
#include "util/alloc.h"
#include "util/error.h"

struct engine {
    struct gpu *gpu;
    struct model *model;
};

// Open from the first pack to the last: drivers without a cache would compile every kernel for every pack.
static struct gpu *shared, *lent;

static bool open_model(void **state, const struct pack *pack)
{
    struct engine *e = *state = xcalloc(1, sizeof *e);
    if (!lent && !shared && !gpu_open(&shared, NULL))
        return false;
    e->gpu = lent ? lent : shared;
    return model_create(&e->model, e->gpu, &pack->weights.config) && model_load(e->model, &pack->weights);
}

static void close_model(void **state)
{
    struct engine *e = *state;
    model_destroy(&e->model);
    free(e);
    *state = NULL;
}

void parity_engine_use(struct gpu *gpu)
{
    lent = gpu;
}

static void finish(void)
{
    gpu_close(&shared);
}

static struct rollout_shape shape_of(const struct pack *pack, bool greedy)
{
    struct rollout_shape shape = {
        .B = pack->B, .S = 1, .mode = greedy ? GREEDY : GIVEN, .temperature = 1, .save = true, .logs = true
    };
    for (uint32_t b = 0; b < pack->B; b++)
        shape.N = pack->scaled[b].N > shape.N ? pack->scaled[b].N : shape.N;
    shape.J = rollout_longest(pack->scaled, pack->B); // given sequences may omit the last return
    return shape;
}

static bool upload_given(struct rollout *r, const struct pack *pack)
{
    const uint32_t T = rollout_trajectories(r), J = rollout_shape(r)->J;
    uint32_t *given = xcalloc((size_t)J * T, sizeof *given);
    for (uint32_t t = 0; t < T; t++) {
        for (ptrdiff_t j = 0; j < arrlen(pack->train[t].actions); j++)
            given[(size_t)j * T + t] = pack->train[t].actions[j];
    }
    bool ok = rollout_give(r, given);
    free(given);
    return ok;
}

static bool copy_paths(struct gpu *gpu, struct rollout *r, const struct pack *pack, struct pack_path *paths)
{
    const uint32_t T = rollout_trajectories(r), J = rollout_shape(r)->J, N = rollout_shape(r)->N;
    float *cost = xcalloc(T, 4), *total = xcalloc(T, 4), *logp = xcalloc((size_t)J * T * N, 4);
    uint32_t *history = xcalloc((size_t)J * T, 4), *steps = xcalloc(T, 4);
    bool ok = rollout_results(r, cost, history, total) && rollout_steps(r, steps);
    for (uint32_t j = 0; ok && j < J; j++) {
        struct tensor step = rollout_logp(r, j);
        ok = !step.address || tensor_download(gpu, logp + (size_t)j * T * N, step);
    }
    for (uint32_t t = 0; ok && t < T; t++) {
        const uint32_t nodes = pack->scaled[t % pack->B].N;
        paths[t].cost = cost[t];
        paths[t].log_likelihood = total[t];
        for (uint32_t j = 0; j < steps[t]; j++) {
            arrput(paths[t].actions, history[(size_t)j * T + t]);
            for (uint32_t v = 0; v < nodes; v++)
                arrput(paths[t].log_p, logp[((size_t)j * T + t) * N + v]);
        }
    }
    free(cost), free(total), free(logp), free(history), free(steps);
    return ok;
}

// Runs a rollout of the pack; the caller destroys it, even if this fails.
static bool run(struct rollout **r, struct engine *e, const struct pack *pack, bool greedy)
{
    struct rollout_shape shape = shape_of(pack, greedy);
    struct view view = model_view(e->model);
    view.live = !greedy; // training uses batch statistics, solving tracked ones
    return rollout_create(r, &view, &shape) && rollout_load(*r, pack->scaled, NULL, pack->B) &&
           (greedy || upload_given(*r, pack)) && rollout_run(*r);
}

static bool decode(void *state, const struct pack *pack, bool greedy, struct pack_path *paths)
{
    struct engine *e = state;
    struct rollout *r = NULL;
    bool ok = run(&r, e, pack, greedy) && copy_paths(e->gpu, r, pack, paths);
    rollout_destroy(&r);
    return ok;
}

// Computes the loss and d loss / d log-likelihood of every trajectory.
static bool weigh(struct rollout *r, const struct pack *pack, double *loss, float *coefficient)
{
    const uint32_t T = rollout_trajectories(r);
    float *cost = xcalloc(T, sizeof *cost), *total = xcalloc(T, sizeof *total);
    bool ok = rollout_results(r, cost, NULL, total);
    *loss = 0;
    for (uint32_t t = 0; t < T; t++) {
        double share = (cost[t] - pack->baseline[t % pack->B]) / T;
        *loss += share * total[t];
        coefficient[t] = (float)share;
    }
    free(cost), free(total);
    return ok;
}

static bool gradient(void *state, const struct pack *pack, double *kl, double *loss, struct weights *to)
{
    struct engine *e = state;
    struct rollout *r = NULL;
    struct gradient *g = NULL;
    struct params d;
    struct arena *arena = arena_create(e->gpu, "gradients");
    struct cmd *c = cmd_create(e->gpu);
    float *coefficient = NULL;
    params_layout(&d, arena, &e->model->config);
    bool ok = arena_back(arena) && run(&r, e, pack, false);
    if (ok) {
        params_layout(&d, arena, &e->model->config);
        struct named *list = params_list(&d, &e->model->config);
        for (ptrdiff_t i = 0; i < arrlen(list); i++)
            cmd_fill(c, list[i].tensor.address, 4 * tensor_count(&list[i].tensor), 0);
        arrfree(list);
        coefficient = xcalloc(rollout_trajectories(r), sizeof *coefficient);
        ok = cmd_run(c) && weigh(r, pack, loss, coefficient) && gradient_create(&g, r, &d) &&
             gradient_run(g, coefficient, NULL, -pack->kl_coefficient) && gradient_kl(g, kl) &&
             weights_download(e->gpu, to, &d, &e->model->stats);
        list = stats_list(&to->stats, &to->config); // they have no gradient
        for (ptrdiff_t i = 0; i < arrlen(list); i++)
            memset(weights_at(to, list[i].tensor), 0, 4 * tensor_count(&list[i].tensor));
        arrfree(list);
        *loss -= pack->kl_coefficient * *kl;
    }
    free(coefficient);
    gradient_destroy(&g);
    rollout_destroy(&r);
    cmd_destroy(&c);
    arena_destroy(&arena);
    return ok;
}

// Beams have their own normalisation, so their own model.
static bool beam(void *state, const struct pack *pack, const struct pack_beam *beam, double *cost)
{
    struct engine *e = state;
    struct rollout_shape sizes = shape_of(pack, true);
    struct beam_shape shape = {
        .B = pack->B, .N = sizes.N, .W = beam->width, .K = beam->expand, .J = sizes.J, .merge = beam->merge
    };
    struct config config = e->model->config;
    config.norm = beam->norm;
    const uint32_t beams = config.M * pack->B;
    float *found = xcalloc(beams, sizeof *found);
    uint32_t *history = xcalloc((size_t)shape.J * beams, sizeof *history);
    struct model *model = NULL;
    struct beam *b = NULL;
    bool ok = model_create(&model, e->gpu, &config) && model_load(model, &pack->weights);
    const struct view view = ok ? model_view(model) : (struct view){ 0 };
    ok = ok && beam_create(&b, &view, &shape) && beam_load(b, pack->scaled, pack->B) && beam_run(b) &&
         beam_results(b, found, history);
    for (uint32_t i = 0; i < beams; i++)
        cost[i] = found[i];
    beam_destroy(&b);
    model_destroy(&model);
    free(found), free(history);
    return ok;
}

const struct parity_subject parity_engine = {
    .name = "engine",
    .open = open_model,
    .close = close_model,
    .finish = finish,
    .decode = decode,
    .gradient = gradient,
    .beam = beam,
};
