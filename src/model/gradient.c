#include "model/gradient.h"

#include <stdlib.h>

#include <stb/stb_ds.h>

#include "model/rollout_internal.h"
#include "util/alloc.h"
#include "util/error.h"

#define TRACK_MOMENTUM 0.1f // of the released program

struct gradient {
    struct rollout *rollout;
    struct arena *arena;
    struct model_grad d;
    struct tensor coefficient; // (T); for given actions (J, T)
    struct tensor kl, dkl;     // (B S)
    struct tensor further;     // (T, N): gradient of the first decision's log-probabilities through the divergence
    struct tensor scratch;
    struct decoder_grad decoder;
    struct cache_grad plain;    // of the encoder's embeddings; dh belongs to the encoder
    struct queries queries;     // of the same, if the rollout has queries
    struct tensor dkvl, dfixed; // of the largest stack
    struct tensor dmean;
    struct block_grad block; // of the same
    struct encoder_grad encoder;
    struct cmd *begin, *end; // before and after the parts, which run from last to first
    struct cmd **parts; // stb_ds array: the plain segment, then stacks; without glimpses, decoder.steps decisions each
};

// The max sizes of all stacks.
struct sizes {
    uint32_t rows, slots, steps, scratch;
};

static void extend(uint32_t *max, uint32_t size)
{
    *max = size > *max ? size : *max;
}

static struct sizes sizes_of(const struct rollout *r)
{
    const struct segment *plain = &r->segments[0];
    struct sizes max = { .slots = plain->decoder.cache->slots.S, .steps = plain->decoder.steps };
    for (ptrdiff_t i = 0; i < arrlen(r->stacks); i++) {
        const struct stack *k = &r->stacks[i];
        extend(&max.rows, k->glimpse.mix.dim[0]);
        extend(&max.slots, k->glimpse.cache.slots.S);
        extend(&max.steps, k->decoder.steps);
        extend(&max.scratch, glimpse_scratch(&k->glimpse));
    }
    return max;
}

static void layout_glimpse(struct gradient *g, const struct sizes *max)
{
    const struct rollout *r = g->rollout;
    const struct encoder_layer *top = encoder_top(&r->encoder);
    const uint32_t B = r->shape.B, R = B * r->shape.N, D = r->model->config.D;
    struct arena *arena = g->arena;
    block_grad_layout(&g->block, arena, &r->model->config, max->rows);
    g->dkvl = tensor_allocate(arena, 2, max->rows, 3 * D);
    g->dfixed = tensor_allocate(arena, 2, max->slots, D);
    g->dmean = tensor_allocate(arena, 2, max->slots, D);
    g->encoder.din = tensor_allocate(arena, 2, R, D);
    g->encoder.dlogits = tensor_allocate(arena, 4, B, r->model->config.H, r->shape.N, r->shape.N);
    g->encoder.dv = tensor_allocate(arena, 2, R, D);
    if (r->stacks[0].glimpse.block.norm1.mode == NORM_GIVEN && top->block.norm1.mode == NORM_INSTANCE) {
        g->encoder.block.dstats1 = tensor_allocate(arena, 3, B, 2, D);
        g->encoder.block.dstats2 = tensor_allocate(arena, 3, B, 2, D);
    }
}

static void layout(struct gradient *g, const struct params *d)
{
    const struct rollout *r = g->rollout;
    const struct model *model = r->model;
    const struct config *config = &model->config;
    const struct sizes max = sizes_of(r);
    const uint32_t B = r->shape.B, S = r->shape.S, R = B * r->shape.N, M = config->M, D = config->D;
    struct arena *arena = g->arena;
    if (d)
        g->d.params = *d;
    g->d.kvl = tensor_allocate(arena, 3, M, D, 3 * D);
    if (config->problem->splits)
        g->d.dynamic = tensor_allocate(arena, 2, M, 3 * D);
    g->coefficient =
        r->given.address ? tensor_allocate(arena, 1, r->shape.J * r->rules.T) : tensor_allocate(arena, 1, r->rules.T);
    g->kl = tensor_allocate(arena, 1, B * S);
    g->dkl = tensor_allocate(arena, 1, B * S);
    decoder_grad_layout(&g->decoder, arena, &r->segments[0].decoder, max.steps, max.slots);
    block_grad_layout(&g->encoder.block, arena, config, R);
    g->encoder.dqkv = tensor_allocate(arena, 2, R, 3 * D);
    g->plain.dh = g->encoder.block.a;
    g->plain.dkvl = tensor_allocate(arena, 2, M * R, 3 * D);
    g->plain.dfixed = tensor_allocate(arena, 2, M * B, D);
    g->plain.dmean = tensor_allocate(arena, 2, B, D);
    uint32_t scratch = encoder_scratch(&r->encoder);
    extend(&scratch, cache_scratch(&r->plain, model));
    extend(&scratch, max.scratch);
    g->further = tensor_allocate(arena, 2, r->rules.T, r->shape.N);
    if (r->queries.current.address) {
        extend(&scratch, queries_scratch(&r->queries, model));
        queries_layout(&g->queries, arena, model, R);
    }
    if (arrlen(r->stacks))
        layout_glimpse(g, &max);
    g->scratch = tensor_allocate(arena, 1, scratch);
    g->block.scratch = g->encoder.block.scratch = g->plain.scratch = g->scratch;
    g->block.dstats1 = g->encoder.block.dstats1;
    g->block.dstats2 = g->encoder.block.dstats2;
}

static void zero(struct cmd *c, struct tensor tensor)
{
    if (tensor.address)
        cmd_fill(c, tensor.address, 4 * tensor_count(&tensor), 0);
}

// Adds the gradient through the decoders' divergence at the first decision.
static void record_kl(struct cmd *c, const struct gradient *g)
{
    const struct rollout *r = g->rollout;
    const uint32_t M = r->model->config.M, trajectories = r->shape.B * r->shape.S, N = r->shape.N;
    struct tensor logp = { r->opening.address, 3, { M, trajectories, N } },
                  further = { g->further.address, 3, { M, trajectories, N } };
    nn_kl(c, g->kl, logp);
    nn_kl_back_add(c, further, g->dkl, logp);
}

// Clears everything that is added to, and padding rows that matrix products read: an earlier batch may have had larger
// instances there.
static void record_begin(struct gradient *g)
{
    struct cmd *c = g->begin = cmd_create(g->rollout->model->gpu);
    const struct tensor list[] = { g->d.kvl, g->d.dynamic, g->plain.dh, g->plain.dkvl, g->plain.dfixed,
        g->queries.first, g->queries.current, g->queries.start, g->encoder.din, g->encoder.dlogits, g->encoder.dv,
        g->encoder.block.dstats1, g->encoder.block.dstats2, g->encoder.block.b, g->encoder.block.f, g->encoder.dqkv,
        g->further };
    cmd_label(c, "gradient/begin");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        zero(c, list[i]);
    record_kl(c, g);
}

// Moves tracked statistics towards those of one group of a normalisation: entry 2 index + which of `tracked`.
static void track(
    struct cmd *c, struct tensor tracked, const struct block *block, uint32_t group, uint32_t index, uint32_t D)
{
    const struct norm *norms[] = { &block->norm1, &block->norm2 };
    for (uint32_t which = 0; which < 2; which++)
        nn_norm_track(c, (struct tensor){ tracked.address + 8ull * (2 * index + which) * D, 2, { 2, D } }, norms[which],
            group, TRACK_MOMENTUM);
}

static bool tracks(const struct view *view)
{
    return view->model->config.norm == MODEL_BATCH && view->live;
}

// Returns the coefficients of decisions from .. to: all of them, or those that repeat.
static struct tensor coefficient_of(const struct gradient *g, uint32_t from, uint32_t to)
{
    const uint32_t T = g->rollout->rules.T;
    struct tensor part = { g->coefficient.address + 4ull * from * T, 1, { (to - from) * T } };
    return g->rollout->given.address ? part : g->coefficient;
}

// The gradient of the log-probabilities of a decoder's decisions.
static void record_choice(struct cmd *c, const struct gradient *g, const struct decoder *d)
{
    const struct rollout *r = g->rollout;
    const uint32_t T = r->rules.T, count = d->to - d->from;
    struct tensor dlogp = tensor_slice(g->decoder.dlogp, 0, count * T),
                  actions = { r->rules.history.address + 4ull * d->from * T, 1, { count * T } };
    nn_choose_back(c, dlogp, coefficient_of(g, d->from, d->to), actions);
    if (d->from == 0)
        nn_add(c, tensor_slice(dlogp, 0, T), g->further);
}

static void record_plain(struct gradient *g)
{
    const struct rollout *r = g->rollout;
    const struct decoder *decoder = &r->segments[0].decoder;
    struct cmd *c = cmd_create(r->model->gpu);
    arrput(g->parts, c);
    cmd_label(c, "decode/plain back");
    record_choice(c, g, decoder);
    decoder_backward(c, decoder, &g->decoder, &g->plain, &g->d, r->shape.B, r->shape.S);
}

static void record_stack(struct gradient *g, const struct stack *k)
{
    const struct rollout *r = g->rollout;
    const struct model *model = r->model;
    const uint32_t R = k->glimpse.mix.dim[0], slots = k->glimpse.cache.slots.S;
    struct cmd *c = cmd_create(model->gpu);
    arrput(g->parts, c);
    struct block_grad block = block_grad_rows(&g->block, R);
    struct cache_grad cache = { .dh = block.a,
        .dkvl = tensor_slice(g->dkvl, 0, R),
        .dfixed = tensor_slice(g->dfixed, 0, slots),
        .dmean = tensor_slice(g->dmean, 0, slots),
        .scratch = g->scratch };
    cmd_label(c, "decode/glimpse back");
    zero(c, cache.dkvl);
    zero(c, cache.dfixed);
    zero(c, cache.dh);
    record_choice(c, g, &k->decoder);
    decoder_backward(c, &k->decoder, &g->decoder, &cache, &g->d, r->shape.B, r->shape.S);
    cmd_label(c, "glimpse/cache back");
    cache_backward(c, &k->glimpse.cache, &cache, model, &g->d, true);
    cmd_label(c, "glimpse/layer back");
    glimpse_backward(c, &k->glimpse, &block, &g->encoder, &g->d.params);
    for (uint32_t i = k->count; tracks(&r->view) && i-- > 0;) {
        const uint32_t occasion = k->segment + i - 1, last = model->config.O - 1;
        track(c, model->stats.glimpse, &k->glimpse.block, i, occasion < last ? occasion : last, model->config.D);
    }
}

// Without glimpses: decisions from .. to, from their trace.
static void record_decisions(struct gradient *g, uint32_t from, uint32_t to)
{
    const struct rollout *r = g->rollout;
    const uint32_t T = r->rules.T, N = r->shape.N;
    struct decoder_lesson lesson = { from, to,
        { .action = { r->rules.history.address + 4ull * from * T, 1, { (to - from) * T } },
            .coefficient = coefficient_of(g, from, to),
            .further = from ? (struct tensor){ 0 } : g->further,
            .N = N } };
    struct cmd *c = cmd_create(r->model->gpu);
    arrput(g->parts, c);
    cmd_label(c, "decode/plain back");
    decoder_learn(c, &r->segments[0].decoder, &g->decoder, &lesson, &g->plain, &g->queries, &g->d);
}

static void record_parts(struct gradient *g)
{
    const struct rollout *r = g->rollout;
    const uint32_t J = r->shape.J, steps = g->decoder.steps;
    if (r->queries.current.address) {
        for (uint32_t from = 0; from < J; from += steps)
            record_decisions(g, from, from + steps < J ? from + steps : J);
        return;
    }
    record_plain(g);
    for (ptrdiff_t i = 0; i < arrlen(r->stacks); i++)
        record_stack(g, &r->stacks[i]);
}

// Returns the parts with decisions of the rollout's last run.
static uint32_t parts_used(const struct gradient *g)
{
    const struct rollout *r = g->rollout;
    const uint32_t decisions = r->segments[r->used - 1].to;
    if (r->queries.current.address)
        return (decisions + g->decoder.steps - 1) / g->decoder.steps;
    uint32_t used = 1;
    while (used - 1 < arrlenu(r->stacks) && r->stacks[used - 1].from < decisions)
        used++;
    return used;
}

static void record_end(struct gradient *g)
{
    const struct rollout *r = g->rollout;
    const struct model *model = r->model;
    struct cmd *c = g->end = cmd_create(model->gpu);
    cmd_label(c, "plain/cache back");
    if (r->queries.current.address)
        queries_backward(c, &r->queries, &g->queries, model, &g->d, g->plain.dh, r->plain.h, g->scratch);
    cache_backward(c, &r->plain, &g->plain, model, &g->d, true);
    encoder_backward(c, &r->encoder, &g->encoder, &g->d.params);
    model_fold_backward(c, model, &g->d);
    for (uint32_t i = 0; tracks(&r->view) && i < model->config.L; i++)
        track(c, model->stats.plain, &r->encoder.layers[i].block, 0, i, model->config.D);
}

uint64_t gradient_bytes(const struct view *view, const struct rollout_shape *shape)
{
    struct rollout *rollout = rollout_plan(view, shape);
    struct gradient g = { .rollout = rollout, .arena = arena_create(view->model->gpu, "a gradient") };
    layout(&g, NULL);
    uint64_t bytes = arena_bytes(g.arena);
    arena_destroy(&g.arena);
    rollout_destroy(&rollout);
    return bytes;
}

bool gradient_create(struct gradient **out, struct rollout *rollout, const struct params *d)
{
    struct gradient *g = *out = xcalloc(1, sizeof *g);
    if (!rollout->shape.save)
        bug("gradient of a rollout without saved activations");
    g->rollout = rollout;
    g->arena = arena_create(rollout->model->gpu, "a gradient");
    layout(g, d);
    bool ok = arena_back(g->arena);
    if (ok) {
        layout(g, d);
        record_begin(g);
        record_parts(g);
        record_end(g);
    }
    if (!ok)
        gradient_destroy(out);
    return ok;
}

void gradient_destroy(struct gradient **slot)
{
    struct gradient *g = *slot;
    if (!g)
        return;
    cmd_destroy(&g->begin);
    cmd_destroy(&g->end);
    for (ptrdiff_t i = 0; i < arrlen(g->parts); i++)
        cmd_destroy(&g->parts[i]);
    arrfree(g->parts);
    arena_destroy(&g->arena);
    free(g);
    *slot = NULL;
}

static bool upload_dkl(struct gradient *g, double dkl)
{
    const uint32_t count = g->dkl.dim[0];
    float *share = xcalloc(count, sizeof *share);
    for (uint32_t i = 0; i < count; i++)
        share[i] = (float)(dkl / count);
    bool ok = tensor_upload(g->rollout->model->gpu, g->dkl, share);
    free(share);
    return ok;
}

static bool upload_coefficients(struct gradient *g, const float *coefficient, const uint32_t *prefix)
{
    struct gpu *gpu = g->rollout->model->gpu;
    const uint32_t T = g->rollout->rules.T, J = g->rollout->shape.J;
    if (!g->rollout->given.address) {
        if (prefix)
            bug("a gradient without the first decisions of trajectories that are not given");
        return tensor_upload(gpu, g->coefficient, coefficient);
    }
    float *list = xcalloc((size_t)J * T, sizeof *list);
    for (uint32_t j = 0; j < J; j++) {
        for (uint32_t t = 0; t < T; t++)
            list[(size_t)j * T + t] = prefix && j < prefix[t] ? 0 : coefficient[t];
    }
    bool ok = tensor_upload(gpu, g->coefficient, list);
    free(list);
    return ok;
}

bool gradient_run(struct gradient *g, const float *coefficient, const uint32_t *prefix, double dkl)
{
    const uint32_t used = parts_used(g);
    bool ok = upload_coefficients(g, coefficient, prefix) && upload_dkl(g, dkl) && cmd_submit(g->begin);
    for (uint32_t i = used; ok && i-- > 0;)
        ok = cmd_submit(g->parts[i]);
    ok = ok && cmd_submit(g->end) && cmd_wait(g->begin) && cmd_wait(g->end);
    for (uint32_t i = 0; ok && i < used; i++) // all are done; this reads their times
        ok = cmd_wait(g->parts[i]);
    return ok;
}

uint32_t gradient_commands(const struct gradient *g)
{
    uint32_t sum = cmd_commands(g->begin) + cmd_commands(g->end);
    for (uint32_t i = 0; i < parts_used(g); i++)
        sum += cmd_commands(g->parts[i]);
    return sum;
}

bool gradient_kl(struct gradient *g, double *kl)
{
    const uint32_t count = g->kl.dim[0];
    float *list = xcalloc(count, sizeof *list);
    bool ok = tensor_download(g->rollout->model->gpu, list, g->kl);
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += list[i];
    *kl = sum / count;
    free(list);
    return ok;
}
