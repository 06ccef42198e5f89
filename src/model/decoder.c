#include "model/decoder.h"

#include <string.h>

#include "shaders/args.h"

void trace_layout(struct trace *trace, struct arena *arena, const struct rules *rules, uint32_t J, bool glimpses)
{
    const uint32_t T = rules->T, N = rules->batch->N;
    trace->state = tensor_allocate(arena, 2, J * T, RULES_STATE);
    if (!glimpses)
        trace->allowed = tensor_allocate(arena, 2, J * T, (N + 31) / 32);
    if (rules->scalar.address && !glimpses)
        trace->scalar = tensor_allocate(arena, 1, J * T);
    if (rules->batch->problem->splits)
        trace->dyn = tensor_allocate(arena, 2, J * T, N);
}

void trace_clear(struct cmd *c, const struct trace *trace)
{
    const struct tensor list[] = { trace->state, trace->scalar, trace->allowed, trace->dyn };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].address)
            cmd_fill(c, list[i].address, 4 * tensor_count(&list[i]), 0);
}

// Returns the rows of decisions from .. to of a tensor with T rows per decision.
static struct tensor rows_of(struct tensor tensor, uint32_t T, uint32_t from, uint32_t to)
{
    if (!tensor.address)
        return tensor;
    tensor.dim[0] = T;
    tensor.address += 4 * from * tensor_count(&tensor);
    tensor.dim[0] = (to - from) * T;
    return tensor;
}

void trace_save(struct cmd *c, const struct trace *trace, const struct rules *rules, uint32_t j)
{
    const struct tensor list[][2] = { { trace->state, rules->state }, { trace->scalar, rules->scalar },
        { trace->allowed, rules->allowed }, { trace->dyn, rules->share } };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i][0].address)
            cmd_copy(
                c, rows_of(list[i][0], rules->T, j, j + 1).address, list[i][1].address, 4 * tensor_count(&list[i][1]));
}

void decoder_layout(struct decoder *d, struct arena *arena, uint32_t steps, uint32_t logs)
{
    const struct config *config = &d->model->config;
    const uint32_t T = d->rules->T, N = d->rules->batch->N, D = config->D;
    d->steps = steps;
    if (!d->queries)
        d->ctx = tensor_allocate(arena, 2, steps * T, context_size(config));
    d->q = tensor_allocate(arena, 2, steps * T, D);
    d->logp = tensor_allocate(arena, 2, logs * T, N);
    d->saved = tensor_allocate(arena, 2, steps * T, nn_pointer_saved(D, config->H, N));
}

struct decoder decoder_part(const struct decoder *stack, uint32_t from, uint32_t to)
{
    struct decoder d = *stack;
    const uint32_t T = d.rules->T, at = from - stack->from, end = to - stack->from;
    d.from = from;
    d.to = to;
    d.blocks = 0;
    if (d.steps > 1) {
        d.steps = to - from;
        d.ctx = rows_of(d.ctx, T, at, end);
        d.q = rows_of(d.q, T, at, end);
        d.saved = rows_of(d.saved, T, at, end);
        d.logp = rows_of(d.logp, T, at, end);
    }
    return d;
}

// Returns the rows of decision k of a tensor that has all decisions or one.
static struct tensor part(const struct decoder *d, struct tensor tensor, uint32_t k)
{
    const uint32_t T = d->rules->T, at = tensor.dim[0] == T ? 0 : k;
    return rows_of(tensor, T, at, at + 1);
}

struct tensor decoder_logp(const struct decoder *d, uint32_t k)
{
    return part(d, d->logp, k);
}

static struct context context_of(const struct decoder *d, struct tensor state)
{
    struct tensor none = { 0 };
    return (struct context){ .state = state,
        .scalar = d->rules->scalar,
        .placeholder = d->model->params.placeholder,
        .instance = d->rules->instance,
        .relevant = d->relevant,
        .first = d->first,
        .slot = d->relevant.address ? d->slot : none,
        .N = d->rules->batch->N };
}

static struct linear query_of(const struct decoder *d, uint32_t k)
{
    return (struct linear){ .y = part(d, d->q, k), .x = part(d, d->ctx, k), .w = d->model->params.step };
}

static struct pointer pointer_of(const struct decoder *d, struct tensor allowed, struct tensor dyn)
{
    return (struct pointer){ .slots = d->cache->slots,
        .kvl = d->cache->kvl,
        .slot = d->repeat ? (struct tensor){ 0 } : d->slot,
        .node = d->node,
        .allowed = allowed,
        .dyn = dyn,
        .wdyn = d->model->dynamic,
        .H = d->model->config.H,
        .repeat = d->repeat,
        .clip = DECODER_CLIP,
        .block = d->blocks ? d->rules->T : 0,
        .temperature = d->temperature,
        .saves = d->trace && !d->queries };
}

// q = ctx Wstep + fixed, for decision k, whose context may be there already.
static void forward_query(struct cmd *c, const struct decoder *d, uint32_t k, bool has_context)
{
    const struct rules *rules = d->rules;
    if (d->queries) {
        struct query query = queries_use(d->queries, d->cache->fixed, d->model->params.step, rules->batch->N);
        query.state = rules->state;
        query.scalar = rules->scalar;
        query.repeat = d->repeat;
        nn_query(c, part(d, d->q, k), &query);
    } else {
        struct context context = context_of(d, rules->state);
        struct linear query = query_of(d, k);
        query.residual = d->cache->fixed;
        query.source = d->slot;
        if (!has_context)
            nn_context(c, query.x, d->cache->h, &context);
        nn_linear(c, &query);
    }
}

void decoder_forward(struct cmd *c, const struct decoder *d, uint32_t k, const struct decision *decision)
{
    const struct rules *rules = d->rules;
    struct pointer pointer = pointer_of(d, rules->allowed, rules->share);
    if (d->trace)
        trace_save(c, d->trace, rules, d->from + k);
    forward_query(c, d, k, false);
    nn_decide(c, decision, decoder_logp(d, k), part(d, d->saved, k), part(d, d->q, k), &pointer);
}

bool decoder_turns(const struct decoder *d)
{
    const struct pointer pointer = pointer_of(d, d->rules->allowed, d->rules->share);
    return d->repeat && turn_fits(d->model->gpu, d->rules, d->model->config.D, &pointer);
}

void decoder_turn(struct cmd *c, const struct decoder *d, uint32_t k, const struct decision *decision, bool last)
{
    const struct rules *rules = d->rules;
    const uint32_t j = d->from + k;
    struct turn turn = { .rules = rules,
        .decision = decision,
        .logp = decoder_logp(d, k),
        .saved = part(d, d->saved, k),
        .q = part(d, d->q, k),
        .pointer = pointer_of(d, rules->allowed, rules->share) };
    if (!d->queries && !last) {
        turn.ctx = part(d, d->ctx, k + 1);
        turn.h = d->cache->h;
        turn.context = context_of(d, rules->state);
    }
    if (d->trace) {
        turn.trace_state = rows_of(d->trace->state, rules->T, j, j + 1);
        turn.trace_scalar = rows_of(d->trace->scalar, rules->T, j, j + 1);
        turn.trace_allowed = rows_of(d->trace->allowed, rules->T, j, j + 1);
        turn.trace_dyn = rows_of(d->trace->dyn, rules->T, j, j + 1);
    }
    forward_query(c, d, k, k > 0);
    turn_run(c, &turn);
}

// Decisions at once: enough to use all lanes of a slot's workers, few enough to need little memory.
static uint32_t steps_at_once(const struct decoder *d)
{
    enum { EACH = 64 };
    return d->repeat < EACH ? EACH / d->repeat : 1;
}

void decoder_grad_layout(
    struct decoder_grad *g, struct arena *arena, const struct decoder *some, uint32_t steps, uint32_t slots)
{
    const struct config *config = &some->model->config;
    const struct gpu *gpu = some->model->gpu;
    const uint32_t T = some->rules->T, N = some->rules->batch->N, M = config->M, D = config->D,
                   C = context_size(config);
    g->steps = some->queries ? steps_at_once(some) : steps;
    g->dq = tensor_allocate(arena, 2, g->steps * T, D);
    if (config->problem->splits)
        g->dwdyn = tensor_allocate(arena, 2, slots, 3 * D);
    if (some->queries) {
        struct pointer pointer = pointer_of(some, some->trace->allowed, some->trace->dyn);
        g->q = tensor_allocate(arena, 2, g->steps * T, D);
        g->part = tensor_allocate(arena, 2, slots, D);
        g->scratch = tensor_allocate(arena, 1, (uint32_t)nn_likelihood_scratch(gpu, g->steps * T, D, N, &pointer));
        return;
    }
    g->dlogp = tensor_allocate(arena, 2, g->steps * T, N);
    g->dctx = tensor_allocate(arena, 2, g->steps * T, C);
    g->scratch = tensor_allocate(arena, 1, (uint32_t)nn_linear_dw_scratch(gpu, g->steps * M, T / M, C, D));
}

// The gradient of the dynamic weights is first summed per slot.
static struct tensor begin_dwdyn(struct cmd *c, const struct decoder *d, const struct decoder_grad *g)
{
    struct tensor dwdyn = g->dwdyn;
    if (dwdyn.address) {
        dwdyn.dim[0] = d->cache->slots.S;
        cmd_fill(c, dwdyn.address, 4 * tensor_count(&dwdyn), 0);
    }
    return dwdyn;
}

void decoder_learn(struct cmd *c, const struct decoder *d, const struct decoder_grad *g,
    const struct decoder_lesson *lesson, const struct cache_grad *cache, const struct queries *queries,
    const struct model_grad *to)
{
    const uint32_t T = d->rules->T, N = d->rules->batch->N, from = lesson->from, end = lesson->to;
    struct query query = queries_use(d->queries, d->cache->fixed, d->model->params.step, N),
                 grad = queries_use(queries, cache->dfixed, to->params.step, N);
    struct tensor q = rows_of(g->q, T, 0, end - from), dq = rows_of(g->dq, T, 0, end - from),
                  dwdyn = begin_dwdyn(c, d, g);
    struct pointer pointer =
        pointer_of(d, rows_of(d->trace->allowed, T, from, end), rows_of(d->trace->dyn, T, from, end));
    query.state = rows_of(d->trace->state, T, from, end);
    if (d->trace->scalar.address)
        query.scalar = (struct tensor){ d->trace->scalar.address + 4ull * from * T, 1, { (end - from) * T } };
    query.repeat = d->repeat;
    nn_query(c, q, &query);
    nn_likelihood_back_add(c, dq, cache->dkvl, dwdyn, g->scratch, q, &lesson->likelihood, &pointer);
    if (dwdyn.address)
        nn_collect_add(c, to->dynamic, 0, dwdyn, 1);
    nn_query_back_add(c, &grad, g->part, dq, &query);
}

void decoder_backward(struct cmd *c, const struct decoder *d, const struct decoder_grad *g,
    const struct cache_grad *cache, const struct model_grad *to, uint32_t instances, uint32_t samples)
{
    const uint32_t M = d->model->config.M, T = d->rules->T, steps = d->steps, count = d->to - d->from,
                   blocks = d->blocks ? d->blocks : 1;
    struct tensor dlogp = rows_of(g->dlogp, T, 0, steps), dq = rows_of(g->dq, T, 0, steps),
                  dctx = rows_of(g->dctx, T, 0, steps), dwdyn = begin_dwdyn(c, d, g), none = { 0 };
    struct pointer pointer = pointer_of(d, d->rules->allowed, rows_of(d->trace->dyn, T, d->from, d->from + steps));
    struct linear query = { .y = d->q, .x = d->ctx, .w = d->model->params.step, .repeat = steps };
    struct context context = context_of(d, rows_of(d->trace->state, T, d->from, d->to));
    const bool own = d->relevant.address;
    struct context_back back = { .dh = cache->dh,
        .dplaceholder = own ? none : to->params.placeholder,
        .dfixed = cache->dfixed,
        .dctx = rows_of(dctx, T, 0, count),
        .dq = rows_of(dq, T, 0, count),
        .rows = d->rows,
        .M = own ? blocks : M,
        .B = own ? T : instances,
        .S = own ? 1 : samples,
        .decisions = own ? steps / blocks : count };
    nn_pointer_back_add(c, dq, cache->dkvl, dwdyn, dlogp, d->logp, d->saved, d->q, &pointer);
    if (dwdyn.address)
        nn_collect_add(c, to->dynamic, 0, dwdyn, blocks);
    nn_linear_dw(c, to->params.step, none, g->scratch, dq, &query);
    nn_linear_dx(c, dctx, dq, &query, false);
    nn_context_back_add(c, &back, &context);
}
