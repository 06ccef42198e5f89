#include "env/turn.h"

#include "env/env.h"
#include "nn/choose.h"
#include "nn/forms.h"
#include "shaders/args.h"

bool turn_fits(const struct gpu *gpu, const struct rules *rules, uint32_t D, const struct pointer *p)
{
    return env_of(rules->batch->problem)->turn && nn_pointer_chooses(gpu, D, rules->batch->N, p);
}

void turn_run(struct cmd *c, const struct turn *turn)
{
    const struct rules *rules = turn->rules;
    const struct pointer *p = &turn->pointer;
    const struct decision *decision = turn->decision;
    const struct choose *how = &decision->how;
    const struct context *x = &turn->context;
    const uint32_t T = rules->T, N = rules->batch->N, D = tensor_cols(&turn->q);
    const uint32_t then = choose_checked(decision->action, decision->chosen, decision->total, turn->logp, how);
    const struct pointer_division division = nn_pointer_division(T, p);
    struct turn_args args = { .state = rules->state.address,
        .sets = rules->sets.address,
        .remaining = rules->remaining.address,
        .share = rules->share.address,
        .scalar = rules->scalar.address,
        .cost = rules->cost.address,
        .unfinished = rules->unfinished.address,
        .history = rules->history.address,
        .logp = turn->logp.address,
        .saved = turn->saved.address,
        .action = decision->action.address,
        .chosen = decision->chosen.address,
        .total = decision->total.address,
        .ctx = turn->ctx.address,
        .trace_state = turn->trace_state.address,
        .trace_allowed = turn->trace_allowed.address,
        .trace_scalar = turn->trace_scalar.address,
        .trace_dyn = turn->trace_dyn.address,
        .instance = rules->instance.address,
        .nodes = rules->batch->nodes.address,
        .limits = rules->batch->limits.address,
        .q = turn->q.address,
        .kvl = p->kvl.address,
        .slot = p->slot.address,
        .node = p->node.address,
        .allowed = p->allowed.address,
        .dyn = p->dyn.address,
        .first = p->slots.first,
        .rows = p->slots.rows,
        .wdyn = p->wdyn.address,
        .given = how->given.address,
        .number = how->instance.address,
        .stream = how->decoder.address,
        .h = turn->h.address,
        .placeholder = x->placeholder.address,
        .relevant = x->relevant.address,
        .seed = how->seed,
        .T = T,
        .N = N,
        .B = rules->batch->B,
        .J = rules->history.dim[0],
        .S = p->slots.S,
        .max_rows = p->slots.N,
        .repeat = p->repeat,
        .per_group = division.each,
        .groups = division.groups,
        .saves = p->saves,
        .D = D,
        .C = turn->ctx.address ? tensor_cols(&turn->ctx) : 0,
        .depot = rules->scalar.address != 0,
        .sharp = p->clip / p->temperature };
    cmd_dispatch(c, &(struct dispatch){ .kernel = env_of(rules->batch->problem)->turn,
                        .args = &args,
                        .workers = T,
                        .constants = { [POINTER_D] = D,
                            [POINTER_H] = p->H,
                            [POINTER_DYN] = p->dyn.address != 0,
                            [POINTER_THEN] = then,
                            [POINTER_NODES] = pointer_nodes(N),
                            [TURN_REFERENCE] = rules->reference,
                            [RULES_OPTIONS] = rules->batch->kind != BATCH_PLAIN },
                        .flops = 6.0 * T * p->slots.N * D,
                        .bytes = 12.0 * T * p->slots.N * D });
}
