#include "search/beam.h"

#include <math.h>
#include <stdlib.h>

#include "search/beam_step.h"
#include "search/strategy.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/error.h"

static struct rollout_shape rollout_shape_of(const struct beam *b)
{
    return (struct rollout_shape){ .B = b->shape.B,
        .N = b->shape.N,
        .S = b->shape.W,
        .J = b->shape.J,
        .kind = b->shape.kind,
        .temperature = 1,
        .policy = &b->policy };
}

static struct beam *planned(const struct view *view, const struct beam_shape *shape)
{
    struct beam *b = xcalloc(1, sizeof *b);
    b->gpu = view->model->gpu;
    b->shape = *shape;
    b->shape.K = shape->K < shape->N ? shape->K : shape->N;
    b->policy = (struct policy){ beam_layout, beam_begin, beam_look, beam_offer, beam_step, b };
    return b;
}

// Kernels count floats in 32 bits.
static bool is_countable(const struct view *view, const struct beam_shape *shape)
{
    const struct config *config = &view->model->config;
    const uint64_t rows = (uint64_t)config->M * shape->B * shape->W * shape->N;
    const uint32_t widest = config->F > 3 * config->D ? config->F : 3 * config->D;
    return !(rows * widest >> 31);
}

uint64_t beam_bytes(const struct view *view, const struct beam_shape *shape)
{
    if (!is_countable(view, shape))
        return ROLLOUT_IMPOSSIBLE;
    struct beam *b = planned(view, shape);
    struct rollout_shape rollout = rollout_shape_of(b);
    uint64_t bytes = rollout_bytes(view, &rollout);
    beam_destroy(&b);
    return bytes;
}

static bool upload_start(struct beam *b)
{
    const uint32_t T = b->rules->T, W = b->shape.W;
    float *score = xcalloc(T, sizeof *score);
    uint32_t *parent = xcalloc(T, sizeof *parent);
    for (uint32_t t = 0; t < T; t++) {
        score[t] = t % W ? MASKED : 0;
        parent[t] = t % W ? BEAM_NONE : t;
    }
    bool ok = tensor_upload(b->gpu, b->start_score, score) && tensor_upload(b->gpu, b->start_parent, parent);
    free(score), free(parent);
    return ok;
}

bool beam_create(struct beam **out, const struct view *view, const struct beam_shape *shape)
{
    *out = NULL;
    if (!is_countable(view, shape))
        return fail(FAULT_INPUT, "a beam of %u hypotheses is too wide for instances of %u nodes", shape->W, shape->N);
    struct beam *b = *out = planned(view, shape);
    struct rollout_shape rollout = rollout_shape_of(b);
    bool ok = rollout_create(&b->rollout, view, &rollout) && upload_start(b);
    if (!ok)
        beam_destroy(out);
    return ok || fail_within("a beam of %u hypotheses for %u nodes", shape->W, shape->N);
}

void beam_destroy(struct beam **slot)
{
    struct beam *b = *slot;
    if (!b)
        return;
    rollout_destroy(&b->rollout);
    free(b);
    *slot = NULL;
}

bool beam_load(struct beam *b, const struct scaled *list, uint32_t count)
{
    return rollout_load(b->rollout, list, NULL, count);
}

bool beam_run(struct beam *b)
{
    return rollout_run(b->rollout);
}

// Results of a run.
struct outcome {
    float *cost, *score;                 // (T)
    uint32_t *state, *actions, *parents; // (T, RULES_STATE); (J, T) each
    uint32_t steps;
};

static bool download(struct beam *b, struct outcome *o)
{
    const struct rules *rules = b->rules;
    const size_t T = rules->T, J = b->shape.J;
    const struct tensor clock = { b->clock.address, 1, { 1 } }; // the same for all beams
    *o = (struct outcome){ xcalloc(T, 4), xcalloc(T, 4), xcalloc(T * RULES_STATE, 4), xcalloc(J * T, 4),
        xcalloc(J * T, 4), 0 };
    const struct gpu_part parts[] = { tensor_part(o->cost, rules->cost), tensor_part(o->score, b->score),
        tensor_part(o->state, rules->state), tensor_part(o->actions, rules->history),
        tensor_part(o->parents, b->parents), tensor_part(&o->steps, clock) };
    bool ok = gpu_download_parts(b->gpu, parts, sizeof parts / sizeof *parts);
    o->steps = o->steps < J ? o->steps : (uint32_t)J;
    return ok;
}

// Returns the cheapest finished hypothesis of the beam that starts at t; UINT32_MAX: none.
static uint32_t cheapest(const struct outcome *o, uint32_t t, uint32_t W)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t end = t + W; t < end; t++) {
        bool done = o->score[t] > 0.5f * MASKED && o->state[t * RULES_STATE + RULES_DONE];
        if (done && (best == UINT32_MAX || o->cost[t] < o->cost[best]))
            best = t;
    }
    return best;
}

bool beam_results(struct beam *b, float *cost, uint32_t *history)
{
    const uint32_t T = b->rules->T, W = b->shape.W, beams = T / W;
    struct outcome o;
    bool ok = download(b, &o);
    for (uint32_t i = 0; ok && i < beams; i++) {
        uint32_t t = cheapest(&o, i * W, W);
        cost[i] = t == UINT32_MAX ? INFINITY : o.cost[t];
        for (uint32_t j = o.steps; t != UINT32_MAX && j-- > 0;) {
            history[(size_t)j * beams + i] = o.actions[(size_t)j * T + t];
            t = o.parents[(size_t)j * T + t];
        }
    }
    free(o.cost), free(o.score), free(o.state), free(o.actions), free(o.parents);
    return ok;
}

// --- as a strategy ------------------------------------------------------------------------------------------------

// The default beam, and for up to SMALL customers one that holds nearly all states that survive merging.
enum { DEFAULT_WIDTH = 30, DEFAULT_EXPAND = 3, SMALL = 8, SMALL_WIDTH = 1024 };

static bool options(struct decoding *decoding, uint32_t n)
{
    bool small = n <= SMALL && !decoding->width && !decoding->expand;
    decoding->samples = 1;
    decoding->temperature = 1;
    decoding->width = decoding->width ? decoding->width : small ? SMALL_WIDTH : DEFAULT_WIDTH;
    decoding->expand = decoding->expand ? decoding->expand : small ? UINT32_MAX : DEFAULT_EXPAND;
    return small && decoding->merge;
}

static struct beam_shape shape_of(const struct run_shape *shape)
{
    return (struct beam_shape){ .B = shape->B,
        .N = shape->N,
        .W = shape->decoding.width,
        .K = shape->decoding.expand,
        .J = shape->J,
        .kind = shape->kind,
        .merge = shape->decoding.merge };
}

static uint64_t plan(const struct view *view, const struct run_shape *shape)
{
    const struct beam_shape beam = shape_of(shape);
    return beam_bytes(view, &beam);
}

static bool run(struct run *run, const struct view *view)
{
    const struct beam_shape shape = shape_of(&run->shape);
    struct beam *beam = NULL;
    bool ok = beam_create(&beam, view, &shape);
    run->own = beam;
    run->rollout = ok ? beam->rollout : NULL;
    return ok;
}

static bool results(struct run *run, float *cost, uint32_t *history)
{
    return beam_results(run->own, cost, history);
}

static void finish(struct run *run)
{
    struct beam *beam = run->own;
    beam_destroy(&beam);
}

const struct strategy strategy_beam = { "beam", MDAM_DECODE_BEAM, options, plan, run, results, finish };
