#include "model/decoder.h"

#include <string.h>

#include "shaders/args.h"

void decoder_layout(struct decoder *d, struct arena *arena, uint32_t steps, bool keep)
{
    const struct config *config = &d->model->config;
    const uint32_t T = d->rules->T, N = d->rules->batch->N, D = config->D;
    d->steps = steps;
    if (!d->queries)
        d->ctx = tensor_take(arena, 2, steps * T, context_size(config));
    d->q = tensor_take(arena, 2, steps * T, D);
    d->logp = tensor_take(arena, 2, steps * T, N);
    d->saved = tensor_take(arena, 2, steps * T, nn_pointer_saved(D, config->H, N));
    if (keep) {
        d->state = tensor_take(arena, 2, steps * T, RULES_STATE);
        if (d->queries && config->problem->has_depot)
            d->scalar = tensor_take(arena, 1, steps * T);
        if (config->problem->splits)
            d->dyn = tensor_take(arena, 2, steps * T, N);
    }
}

// Decision k's rows of a tensor for `steps` decisions.
static struct tensor part(struct tensor tensor, uint32_t steps, uint32_t k)
{
    tensor.dim[0] /= steps;
    tensor.at += 4 * k * tensor_count(&tensor);
    return tensor;
}

struct tensor decoder_logp(const struct decoder *d, uint32_t k)
{
    return part(d->logp, d->steps, k);
}

static struct context context_of(const struct decoder *d, struct tensor state)
{
    const bool depot = d->model->config.problem->has_depot;
    struct tensor none = { 0 };
    return (struct context){ .state = state,
        .scalar = depot ? d->rules->scalar : none,
        .placeholder = depot ? none : d->model->params.placeholder,
        .instance = d->rules->instance,
        .kept = d->kept,
        .first = d->first,
        .slot = d->kept.at ? d->slot : none,
        .N = d->rules->batch->N };
}

static struct linear query_of(const struct decoder *d, uint32_t k)
{
    return (struct linear){ .y = part(d->q, d->steps, k), .x = part(d->ctx, d->steps, k), .w = d->model->params.step };
}

static struct pointer pointer_of(const struct decoder *d, struct tensor dyn)
{
    return (struct pointer){ .slots = d->cache->slots,
        .kvl = d->cache->kvl,
        .slot = d->share ? (struct tensor){ 0 } : d->slot,
        .node = d->node,
        .allowed = d->rules->allowed,
        .dyn = dyn,
        .wdyn = d->model->dynamic,
        .H = d->model->config.H,
        .share = d->share,
        .clip = 10,
        .temperature = d->temperature };
}

// q = ctx Wstep + fixed, decision k's.
static void forward_query(struct cmd *c, const struct decoder *d, uint32_t k)
{
    const struct rules *rules = d->rules;
    if (d->queries) {
        struct query query = queries_use(d->queries, d->cache->fixed, d->model->params.step, rules->batch->N);
        query.state = rules->state;
        if (d->model->config.problem->has_depot)
            query.scalar = rules->scalar;
        query.share = d->share;
        nn_query(c, part(d->q, d->steps, k), &query);
    } else {
        struct context context = context_of(d, rules->state);
        struct linear query = query_of(d, k);
        query.residual = d->cache->fixed;
        query.source = d->slot;
        nn_context(c, query.x, d->cache->h, &context);
        nn_linear(c, &query);
    }
}

void decoder_forward(struct cmd *c, const struct decoder *d, uint32_t k)
{
    const struct rules *rules = d->rules;
    struct pointer pointer = pointer_of(d, rules->share);
    const struct tensor kept[][2] = { { d->state, rules->state }, { d->scalar, rules->scalar },
        { d->dyn, rules->share } };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (kept[i][0].at)
            nn_copy(c, part(kept[i][0], d->steps, k), kept[i][1]);
    forward_query(c, d, k);
    nn_pointer(c, decoder_logp(d, k), part(d->saved, d->steps, k), part(d->q, d->steps, k), &pointer);
}

void decoder_grad_layout(struct decoder_grad *g, struct arena *arena, const struct decoder *widest)
{
    const struct config *config = &widest->model->config;
    const uint32_t T = widest->rules->T, M = config->M, D = config->D, C = context_size(config);
    g->dlogp = tensor_take(arena, 2, widest->steps * T, widest->rules->batch->N);
    g->dq = tensor_take(arena, 2, widest->steps * T, D);
    if (config->problem->splits)
        g->dwdyn = tensor_take(arena, 2, T, 3 * D);
    struct pointer pointer = pointer_of(widest, widest->dyn);
    const uint64_t most =
        nn_pointer_scratch(widest->model->gpu, widest->steps * T, D, widest->rules->batch->N, &pointer);
    if (most)
        g->pointer = tensor_take(arena, 1, (uint32_t)most);
    if (widest->queries) {
        g->part = tensor_take(arena, 2, widest->cache->slots.S, D);
        return;
    }
    g->dctx = tensor_take(arena, 2, T, C);
    g->scratch = tensor_take(arena, 1, (uint32_t)nn_linear_dw_scratch(widest->model->gpu, M, T / M, C, D));
}

// From dq of all decisions, with the queries' gradients.
static void backward_queries(struct cmd *c, const struct decoder *d, const struct decoder_grad *g,
    const struct cache_grad *cache, const struct queries *queries, const struct model_grad *to, struct tensor dq)
{
    const uint32_t N = d->rules->batch->N;
    struct query query = queries_use(d->queries, d->cache->fixed, d->model->params.step, N),
                 grad = queries_use(queries, cache->dfixed, to->params.step, N);
    query.state = d->state;
    query.scalar = d->scalar;
    query.share = d->share;
    nn_query_back_add(c, &grad, g->part, dq, &query);
}

void decoder_backward(struct cmd *c, const struct decoder *d, const struct decoder_grad *g,
    const struct cache_grad *cache, const struct queries *queries, const struct model_grad *to, uint32_t instances,
    uint32_t samples)
{
    const uint32_t M = d->model->config.M, T = d->rules->T;
    struct tensor dlogp = g->dlogp, dq = g->dq, dwdyn = g->dwdyn, none = { 0 };
    dlogp.dim[0] = dq.dim[0] = d->steps * T;
    struct pointer pointer = pointer_of(d, d->dyn);
    if (dwdyn.at) {
        dwdyn.dim[0] = d->cache->slots.S;
        cmd_fill(c, dwdyn.at, 4 * tensor_count(&dwdyn), 0);
    }
    nn_pointer_back_add(c, dq, cache->dkvl, dwdyn, g->pointer, dlogp, d->logp, d->saved, d->q, &pointer);
    if (dwdyn.at)
        nn_collect_add(c, to->dynamic, 0, dwdyn);
    if (d->queries) {
        backward_queries(c, d, g, cache, queries, to, dq);
        return;
    }
    for (uint32_t k = d->steps; k-- > 0;) {
        struct context context = context_of(d, part(d->state, d->steps, k));
        struct linear query = query_of(d, k);
        struct tensor dqk = part(dq, d->steps, k);
        nn_linear_dw(c, to->params.step, none, g->scratch, dqk, &query);
        nn_linear_dx(c, g->dctx, dqk, &query, false);
        if (d->share > 1)
            nn_gather_back_add(c, cache->dfixed, dqk, d->slot, d->share);
        else
            nn_add(c, cache->dfixed, dqk);
        nn_context_back_add(
            c, cache->dh, d->kept.at ? none : to->params.placeholder, g->dctx, &context, M, instances, samples);
    }
}
