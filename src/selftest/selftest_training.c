// Checks of `mdam-vk selftest` for training besides rollouts and gradients: the optimiser against double precision, and
// instances drawn on the device against those that the host generates.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "env/draw.h"
#include "nn/nn.h"
#include "problem/problem.h"
#include "selftest/selftest_internal.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/rng.h"

enum { WEIGHTS = 5000, STEPS = 3, INSTANCES = 16, CUSTOMERS = 20, SEED = 5 };

static const struct adam_settings settings = { .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .max_norm = 1 };
static const float rate = 1e-2f;

// Weights, moments, gradients; then what nn_adam needs.
struct update {
    struct tensor w, m, v, g, part, norm, state, rate;
};

static void layout(struct update *u, struct arena *arena)
{
    u->w = tensor_allocate(arena, 1, WEIGHTS);
    u->m = tensor_allocate(arena, 1, WEIGHTS);
    u->v = tensor_allocate(arena, 1, WEIGHTS);
    u->g = tensor_allocate(arena, 1, WEIGHTS);
    u->part = tensor_allocate(arena, 1, NORM2_PARTS);
    u->norm = tensor_allocate(arena, 1, 2);
    u->state = tensor_allocate(arena, 1, ADAM_STATE);
    u->rate = tensor_allocate(arena, 1, 1);
}

static void draw_list(float *list, uint32_t stream)
{
    for (uint32_t k = 0; k < WEIGHTS; k++) {
        uint32_t number[4];
        rng_draw(&(struct rng){ .seed = SEED, .purpose = stream }, k, number);
        list[k] = 2 * rng_unit(number[0]) - 1;
    }
}

// The same step in double precision.
static void step(double *w, double *m, double *v, const float *g, uint32_t t)
{
    const double fix1 = 1 - pow(settings.beta1, t), fix2 = 1 - pow(settings.beta2, t);
    double sum = 0;
    for (uint32_t k = 0; k < WEIGHTS; k++)
        sum += (double)g[k] * g[k];
    const double scale = fmin(1, settings.max_norm / (sqrt(sum) + 1e-6));
    for (uint32_t k = 0; k < WEIGHTS; k++) {
        m[k] = settings.beta1 * m[k] + (1 - settings.beta1) * g[k] * scale;
        v[k] = settings.beta2 * v[k] + (1 - settings.beta2) * pow(g[k] * scale, 2);
        w[k] -= (double)rate * (m[k] / fix1) / (sqrt(v[k] / fix2) + settings.eps);
    }
}

static bool run_steps(struct gpu *gpu, const struct update *u, float *found, double *expected)
{
    static const float zeros[WEIGHTS];
    float *g = xcalloc(WEIGHTS, sizeof *g);
    double *moments = xcalloc((size_t)2 * WEIGHTS, sizeof *moments);
    struct cmd *c = cmd_create(gpu);
    cmd_label(c, "update");
    nn_norm2(c, u->norm, u->part, u->g);
    nn_adam(c, u->w, u->m, u->v, u->state, u->g, u->norm, u->rate, &settings);
    draw_list(found, 0);
    for (uint32_t k = 0; k < WEIGHTS; k++)
        expected[k] = found[k];
    bool ok = tensor_upload(gpu, u->w, found) && tensor_upload(gpu, u->m, zeros) && tensor_upload(gpu, u->v, zeros) &&
              tensor_upload(gpu, u->state, zeros) && tensor_upload(gpu, u->rate, &rate);
    for (uint32_t t = 1; ok && t <= STEPS; t++) {
        draw_list(g, t);
        step(expected, moments, moments + WEIGHTS, g, t);
        ok = tensor_upload(gpu, u->g, g) && cmd_run(c);
    }
    ok = ok && tensor_download(gpu, found, u->w);
    cmd_destroy(&c);
    free(g), free(moments);
    return ok;
}

// Each step rounds the weight once; its change, about a rate, is as good as the moments, 2e-5 (tests/nn/adam.c).
static void check_update(struct selftest *s)
{
    struct update u;
    struct arena *arena = arena_create(s->gpu, "an update");
    float *found = xcalloc(WEIGHTS, sizeof *found);
    double *expected = xcalloc(WEIGHTS, sizeof *expected), worst = 0;
    layout(&u, arena);
    bool ok = arena_back(arena);
    if (ok) {
        layout(&u, arena);
        ok = run_steps(s->gpu, &u, found, expected);
    }
    for (uint32_t k = 0; ok && k < WEIGHTS; k++) {
        const double error = fabs(found[k] - expected[k]) / (STEPS * (1e-7 + 2e-5 * (double)rate));
        worst = error <= worst ? worst : isnan(error) ? INFINITY : error;
    }
    if (ok)
        selftest_check(s, worst <= 1, "update of weights", "%.2g of 1 after %d steps", worst, STEPS);
    else
        selftest_error(s, "update of weights");
    free(found), free(expected);
    arena_destroy(&arena);
}

// Words of a customer are coordinates and demand, which have no rounding.
static uint32_t count_same(const struct instance *instance, const uint32_t *nodes)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < instance->n; i++) {
        const uint32_t *node = nodes + (i + 1) * NODE_WORDS;
        float at[2];
        memcpy(at, node, sizeof at);
        same += at[0] == (float)instance->nodes[i].x && at[1] == (float)instance->nodes[i].y &&
                node[NODE_DEMAND] == (uint32_t)instance->demand[i];
    }
    return same;
}

static void check_draws(struct selftest *s)
{
    const struct problem *problem = problem_by_name("cvrp");
    const struct distribution distribution = { .n_min = CUSTOMERS, .n_max = CUSTOMERS, .prize = PRIZE_UNIF };
    const uint32_t N = CUSTOMERS + 1;
    struct arena *arena = arena_create(s->gpu, "draws");
    struct cmd *c = cmd_create(s->gpu);
    struct batch batch;
    struct draw draw;
    uint32_t *nodes = xcalloc((size_t)INSTANCES * N * NODE_WORDS, sizeof *nodes), same = 0;
    bool ok = true;
    for (int pass = 0; ok && pass < 2; pass++) {
        batch_layout(&batch, arena, problem, INSTANCES, N, BATCH_PLAIN);
        draw_layout(&draw, arena, &distribution, SEED);
        ok = pass || arena_back(arena);
    }
    if (ok) {
        draw_batch(c, &batch, &draw);
        ok = draw_upload(s->gpu, &draw) && draw_start(s->gpu, &draw, 0) && cmd_run(c) &&
             tensor_download(s->gpu, nodes, batch.nodes);
    }
    for (uint32_t b = 0; ok && b < INSTANCES; b++) {
        struct instance instance;
        problem->generate(&instance, &distribution, SEED, b);
        same += count_same(&instance, nodes + (size_t)b * N * NODE_WORDS);
        instance_finish(&instance);
    }
    if (ok)
        selftest_check(s, same == INSTANCES * CUSTOMERS, "instances drawn on the device",
            "%u of %d customers as the host draws them", same, INSTANCES * CUSTOMERS);
    else
        selftest_error(s, "instances drawn on the device");
    free(nodes);
    cmd_destroy(&c);
    arena_destroy(&arena);
}

void selftest_training(struct selftest *s)
{
    check_update(s);
    check_draws(s);
}
