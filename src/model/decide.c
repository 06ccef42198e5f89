#include "model/decide.h"

#include "env/env.h"
#include "gpu/gpu.h"
#include "nn/forms.h"
#include "shaders/args.h"

static const struct form *form_of(const struct decoder *d, uint32_t count)
{
    const struct config *config = &d->model->config;
    struct form_sizes sizes = { .D = config->D, .repeat = count, .slots_uniform = d->queries != NULL };
    return form_choose(gpu_info(d->model->gpu), FORM_DECIDE, &sizes);
}

bool decide_fits(const struct decoder *d, uint32_t count)
{
    return env_of(d->model->config.problem)->decide && form_of(d, count)->kind == FORM_SHARE;
}

static void dispatch(struct cmd *c, const struct decide *decide, uint32_t from, uint32_t to, uint32_t mode)
{
    const struct decoder *d = decide->decoder;
    const struct rules *rules = d->rules;
    const struct config *config = &d->model->config;
    const struct trace none = { 0 }, *trace = d->trace ? d->trace : &none;
    const uint32_t T = rules->T, N = rules->batch->N, S = d->cache->slots.S;
    const uint32_t together = form_constant(form_of(d, decide->count), POINTER_SHARE_TS);
    const double products = mode == CHOOSE_FOLLOW ? 0 : 6;
    struct query query = queries_use(d->queries, d->cache->fixed, d->model->params.step, N);
    struct decide_args args = { .state = rules->state.address,
        .sets = rules->sets.address,
        .remaining = rules->remaining.address,
        .share = rules->share.address,
        .scalar = rules->scalar.address,
        .cost = rules->cost.address,
        .unfinished = rules->unfinished.address,
        .history = rules->history.address,
        .logp = d->logp.address,
        .saved = d->saved.address,
        .total = decide->total.address,
        .trace_state = trace->state.address,
        .trace_allowed = trace->allowed.address,
        .trace_scalar = trace->scalar.address,
        .trace_dyn = trace->dyn.address,
        .instance = rules->instance.address,
        .nodes = rules->batch->nodes.address,
        .limits = rules->batch->limits.address,
        .allowed = rules->allowed.address,
        .dyn = rules->share.address,
        .number = decide->number.address,
        .stream = decide->stream.address,
        .action_given = decide->given.address,
        .kvl = d->cache->kvl.address,
        .wdyn = d->model->dynamic.address,
        .first_node = query.first.address,
        .current = query.current.address,
        .fixed_ = query.fixed.address,
        .extra = query.extra.address,
        .seed = decide->seed,
        .T = T,
        .N = N,
        .B = rules->batch->B,
        .J = rules->history.dim[0],
        .S = S,
        .max_rows = N,
        .repeat = d->repeat,
        .per_group = T / config->M,
        .groups = config->M,
        .slots_per_group = S / config->M,
        .stride = query.stride ? query.stride : config->D,
        .offset = decide->offset,
        .count = decide->count,
        .from = from,
        .to = to,
        .logs = decide->logs,
        .sharp = DECODER_CLIP / d->temperature };
    cmd_dispatch(c, &(struct dispatch){ .kernel = env_of(config->problem)->decide,
                        .args = &args,
                        .workers = S * (decide->count / together),
                        .constants = { [POINTER_D] = config->D,
                            [POINTER_H] = config->H,
                            [POINTER_DYN] = config->problem->splits,
                            [POINTER_SHARE_TS] = together,
                            [DECIDE_MODE] = mode,
                            [RULES_OPTIONS] = rules->batch->kind != BATCH_PLAIN,
                            [DECIDE_SCALAR] = config->problem->context != NULL },
                        .flops = products * (to - from) * S * decide->count * N * config->D,
                        .bytes = 2 * products * (to - from) * S * decide->count * N * config->D });
}

void decide_forward(struct cmd *c, const struct decide *decide, uint32_t from, uint32_t to)
{
    static const uint32_t modes[] = { [GREEDY] = CHOOSE_GREEDY, [SAMPLE] = CHOOSE_SAMPLE, [GIVEN] = CHOOSE_GIVEN };
    dispatch(c, decide, from, to, modes[decide->mode]);
}

void decide_follow(struct cmd *c, const struct decide *decide, uint32_t from, uint32_t to)
{
    dispatch(c, decide, from, to, CHOOSE_FOLLOW);
}
