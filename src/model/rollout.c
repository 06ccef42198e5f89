#include "model/rollout.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/gpu.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/error.h"

enum { STEPS_WITHOUT_GLIMPSE = 8 }; // decisions in one recording when nothing divides them

static void layout(struct rollout *r)
{
    const struct model *model = r->model;
    const struct config *config = &model->config;
    const struct rollout_shape *shape = &r->shape;
    const uint32_t B = shape->B, N = shape->N, M = config->M, D = config->D, T = M * B * shape->S;
    struct arena *arena = r->arena;
    batch_layout(&r->batch, arena, config->problem, B, N);
    rules_layout(&r->rules, arena, &r->batch, T, shape->J, config->dialect == DIALECT_REFERENCE);
    encoder_layout(&r->encoder, arena, model, &r->batch, false);
    r->slot_rows = tensor_take(arena, 1, M * B);
    r->plain = (struct cache){
        .h = r->encoder.h, .means = r->encoder.seg, .slots = { .S = M * B, .N = N, .rows = r->slot_rows.at }
    };
    cache_layout(&r->plain, arena, model);
    if (config->p)
        glimpse_layout(&r->glimpse, arena, &r->encoder, &r->rules, false);
    r->parent = tensor_take(arena, 1, T);
    r->stream = tensor_take(arena, 1, T);
    r->number = tensor_take(arena, 1, T);
    if (shape->mode == GIVEN)
        r->given = tensor_take(arena, 2, shape->J, T);
    r->ctx = tensor_take(arena, 2, T, context_size(config));
    r->q = tensor_take(arena, 2, T, D);
    r->logp = shape->steps ? tensor_take(arena, 3, shape->J, T, N) : tensor_take(arena, 2, T, N);
    r->saved = tensor_take(arena, 2, T, nn_pointer_saved(D, config->H, N));
    r->chosen = tensor_take(arena, 1, T);
    r->total = tensor_take(arena, 1, T);
}

// Row j of a tensor.
static struct tensor row_of(struct tensor tensor, uint32_t j)
{
    struct tensor row = { .rank = tensor.rank - 1 };
    memcpy(row.dim, tensor.dim + 1, sizeof(uint32_t) * (size_t)row.rank);
    row.at = tensor.at + 4 * j * tensor_count(&row);
    return row;
}

// Decision j: q = ctx Wstep + fixed, log p, an action, the state after it. `plain`: with the embeddings of the encoder.
static void step(struct cmd *c, const struct rollout *r, uint32_t j, bool plain)
{
    const struct model *model = r->model;
    const struct config *config = &model->config;
    const struct rules *rules = &r->rules;
    const struct cache *cache = plain ? &r->plain : &r->glimpse.cache;
    const bool depot = config->problem->has_depot;
    struct tensor none = { 0 };
    cmd_label(c, plain ? "decode/plain" : "decode/glimpse");
    nn_context(c, r->ctx, cache->h,
        &(struct context){ .state = rules->state,
            .scalar = depot ? rules->scalar : none,
            .placeholder = depot ? none : model->params.placeholder,
            .instance = rules->instance,
            .kept = plain ? none : r->glimpse.kept,
            .first = plain ? none : r->glimpse.list.first,
            .N = r->batch.N });
    nn_linear(c, &(struct linear){ .y = r->q,
                     .x = r->ctx,
                     .w = model->params.step,
                     .residual = cache->fixed,
                     .source = plain ? r->parent : none });
    struct tensor logp = r->shape.steps ? row_of(r->logp, j) : r->logp;
    nn_pointer(c, logp, r->saved, r->q,
        &(struct pointer){ .slots = cache->slots,
            .kvl = cache->kvl,
            .slot = plain ? r->parent : none,
            .node = plain ? none : r->glimpse.list.node,
            .allowed = rules->allowed,
            .dyn = rules->share,
            .wdyn = model->dynamic,
            .H = config->H,
            .share = 1,
            .clip = 10,
            .temperature = r->shape.temperature });
    nn_choose(c, rules->action, r->chosen, r->total, logp,
        &(struct choose){ .mode = r->shape.mode,
            .given = r->shape.mode == GIVEN ? row_of(r->given, j) : none,
            .instance = r->number,
            .decoder = r->stream,
            .step = rules->unfinished.at,
            .seed = r->shape.seed });
    rules_step(c, rules);
}

// Whether the embeddings are made anew before decision j.
static bool glimpse_due(const struct config *config, uint32_t j)
{
    uint32_t least = config->dialect == DIALECT_REFERENCE ? 2 : 1;
    return config->p && j >= least && j % config->p == 0;
}

static void begin(struct cmd *c, struct rollout *r)
{
    const uint32_t M = r->model->config.M, B = r->shape.B;
    cmd_label(c, "begin");
    for (uint32_t m = 0; m < M; m++)
        cmd_copy(c, r->slot_rows.at + 4ull * m * B, r->batch.limits.at, 4ull * B);
    cmd_fill(c, r->total.at, 4ull * r->rules.T, 0);
    rules_begin(c, &r->rules);
    encoder_forward(c, &r->encoder);
    cmd_label(c, "plain/cache");
    cache_forward(c, &r->plain, r->model);
}

static void record(struct rollout *r)
{
    const struct config *config = &r->model->config;
    r->open = cmd_create(r->model->gpu);
    begin(r->open, r);
    bool plain = true;
    uint32_t j = 0, occasion = 0;
    for (; r->shape.steps ? j < r->shape.J : !glimpse_due(config, j) && (config->p || j < STEPS_WITHOUT_GLIMPSE); j++) {
        if (glimpse_due(config, j)) {
            if (r->glimpse.occasion.at)
                cmd_fill(r->open, r->glimpse.occasion.at, 4ull * r->rules.T, glimpse_occasion(&r->glimpse, occasion++));
            glimpse_forward(r->open, &r->glimpse);
            plain = false;
        }
        step(r->open, r, j, plain);
    }
    r->open_steps = j;
    if (r->shape.steps)
        return;
    r->more = cmd_create(r->model->gpu);
    if (config->p)
        glimpse_forward(r->more, &r->glimpse);
    r->more_steps = config->p ? config->p : STEPS_WITHOUT_GLIMPSE;
    for (uint32_t k = 0; k < r->more_steps; k++)
        step(r->more, r, 0, !config->p);
}

bool rollout_seek(struct rollout *r, uint32_t first)
{
    const uint32_t T = r->rules.T, B = r->shape.B, S = r->shape.S;
    uint32_t *stream = xcalloc(T, sizeof *stream);
    for (uint32_t t = 0; t < T; t++)
        stream[t] = (first + t % S) * CONFIG_M_MAX + t / (B * S);
    bool ok = tensor_upload(r->model->gpu, r->stream, stream);
    free(stream);
    return ok;
}

static bool upload_fixed(struct rollout *r)
{
    const uint32_t T = r->rules.T, B = r->shape.B, S = r->shape.S;
    uint32_t *list = xcalloc(2 * (size_t)T, sizeof *list), *parent = list, *instance = list + T;
    for (uint32_t t = 0; t < T; t++) {
        parent[t] = t / S;
        instance[t] = t / S % B;
    }
    bool ok = tensor_upload(r->model->gpu, r->parent, parent) &&
              tensor_upload(r->model->gpu, r->rules.instance, instance) && rollout_seek(r, 0);
    free(list);
    return ok;
}

static bool clear(struct rollout *r)
{
    // Rows of padding are read by products of matrices, though nothing comes of them: they must be finite.
    struct cmd *c = cmd_create(r->model->gpu);
    cmd_label(c, "clear");
    struct tensor list[] = { r->encoder.features, r->encoder.h0, r->encoder.layers[0].mix, r->encoder.h,
        r->encoder.layers[0].block.h1, encoder_top(&r->encoder)->in };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        cmd_fill(c, list[i].at, 4 * tensor_count(&list[i]), 0);
    bool ok = cmd_run(c);
    cmd_destroy(&c);
    return ok;
}

uint64_t rollout_bytes(const struct model *model, const struct rollout_shape *shape)
{
    struct rollout r = { .shape = *shape, .model = model, .arena = arena_create(model->gpu, "a rollout") };
    layout(&r);
    uint64_t bytes = arena_bytes(r.arena);
    arena_destroy(&r.arena);
    return bytes;
}

bool rollout_create(struct rollout **out, const struct model *model, const struct rollout_shape *shape)
{
    struct rollout *r = *out = xcalloc(1, sizeof *r);
    r->shape = *shape;
    r->model = model;
    r->arena = arena_create(model->gpu, "a rollout");
    layout(r);
    bool ok = arena_back(r->arena);
    if (ok) {
        layout(r);
        record(r);
        ok = upload_fixed(r) && clear(r);
    }
    if (!ok)
        rollout_destroy(out);
    return ok;
}

void rollout_destroy(struct rollout **slot)
{
    struct rollout *r = *slot;
    if (!r)
        return;
    cmd_destroy(&r->open);
    cmd_destroy(&r->more);
    arena_destroy(&r->arena);
    free(r);
    *slot = NULL;
}

uint32_t rollout_longest(const struct scaled *list, uint32_t count)
{
    uint64_t longest = 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct scaled *s = &list[i];
        uint64_t steps = s->N; // one visit each, and back
        if (s->problem->columns & HAS_DEMAND) {
            uint64_t load = 0;
            for (uint32_t v = 0; v < s->N; v++)
                load += s->demand[v];
            // At worst every visit is followed by a return; split, every load may end in a visit more.
            steps = 2 * (uint64_t)s->N + (s->problem->splits ? 2 * (load / s->capacity) : 0);
        }
        longest = steps > longest ? steps : longest;
    }
    return longest > UINT32_MAX ? UINT32_MAX : (uint32_t)longest;
}

static bool upload_everyone(struct rollout *r, const struct scaled *list, uint32_t count)
{
    const uint32_t T = r->rules.T, B = r->shape.B, S = r->shape.S, W = (r->shape.N + 31) / 32;
    uint32_t *words = xcalloc((size_t)T * W, sizeof *words);
    for (uint32_t t = 0; t < T; t++) {
        uint32_t b = t / S % B, nodes = list[b < count ? b : count - 1].N;
        for (uint32_t v = 0; v < nodes; v++)
            words[t * W + v / 32] |= 1u << (v % 32);
    }
    bool ok = tensor_upload(r->model->gpu, r->glimpse.everyone, words);
    free(words);
    return ok;
}

bool rollout_load(struct rollout *r, const struct scaled *list, const uint32_t *numbers, uint32_t count)
{
    struct gpu *gpu = r->model->gpu;
    const uint32_t T = r->rules.T, B = r->shape.B, S = r->shape.S;
    if (!batch_upload(gpu, &r->batch, 0, list, count))
        return false;
    for (uint32_t b = count; b < B; b++) {
        if (!batch_upload(gpu, &r->batch, b, &list[count - 1], 1))
            return false;
    }
    uint32_t *number = xcalloc(T, sizeof *number);
    for (uint32_t t = 0; t < T; t++) {
        uint32_t b = t / S % B;
        b = b < count ? b : count - 1;
        number[t] = numbers ? numbers[b] : b;
    }
    bool ok = tensor_upload(gpu, r->number, number);
    free(number);
    return ok && (!r->glimpse.everyone.at || upload_everyone(r, list, count));
}

// MODEL_BATCH: which tracked statistics the next glimpse takes; the last serve beyond it.
static bool set_occasion(struct rollout *r, uint32_t occasion)
{
    if (!r->glimpse.occasion.at)
        return true;
    const uint32_t T = r->rules.T;
    uint32_t *index = xcalloc(T, sizeof *index);
    for (uint32_t t = 0; t < T; t++)
        index[t] = glimpse_occasion(&r->glimpse, occasion);
    bool ok = tensor_upload(r->model->gpu, r->glimpse.occasion, index);
    free(index);
    return ok;
}

bool rollout_run(struct rollout *r)
{
    if (!cmd_submit(r->open))
        return false;
    uint32_t occasion = 0;
    for (uint32_t steps = r->open_steps; r->more && steps < r->shape.J; steps += r->more_steps) {
        uint32_t unfinished;
        // Nobody is done before every customer that must be served has been; asking costs a wait.
        if (!tensor_download(r->model->gpu, &unfinished, r->rules.unfinished))
            return false;
        if (unfinished < steps + 1)
            break;
        if (!set_occasion(r, occasion++) || !cmd_submit(r->more))
            return false;
    }
    return cmd_wait(r->open) && (!r->more || cmd_wait(r->more));
}

bool rollout_results(struct rollout *r, float *cost, uint32_t *history, float *total)
{
    struct gpu *gpu = r->model->gpu;
    return tensor_download(gpu, cost, r->rules.cost) && (!history || tensor_download(gpu, history, r->rules.history)) &&
           (!total || tensor_download(gpu, total, r->total));
}
