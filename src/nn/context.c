#include "context.spv.h"
#include "context_back.spv.h"
#include "context_start.spv.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "util/divide.h"
#include "util/error.h"

static const struct kernel context = KERNEL(context), context_back = KERNEL(context_back),
                           context_start = KERNEL_WITH(context_start, context_back);

static struct context_args arguments(const struct context *x, struct tensor ctx, struct tensor h)
{
    bool depot = x->scalar.address;
    uint32_t T = x->state.dim[0], D = tensor_cols(&h), C = depot ? D + CONTEXT_SCALARS : 2 * D;
    tensor_expect("context", "ctx", &ctx, 2, T, C);
    tensor_expect("context", "state", &x->state, 2, T, RULES_STATE);
    return (struct context_args){ .ctx = ctx.address,
        .h = h.address,
        .placeholder = x->placeholder.address,
        .state = x->state.address,
        .scalar = x->scalar.address,
        .instance = x->instance.address,
        .relevant = x->relevant.address,
        .first = x->first.address,
        .slot = x->slot.address,
        .T = T,
        .N = x->N,
        .D = D,
        .C = C,
        .depot = depot };
}

void nn_context(struct cmd *c, struct tensor ctx, struct tensor h, const struct context *x)
{
    struct context_args args = arguments(x, ctx, h);
    cmd_dispatch(
        c, &(struct dispatch){ .kernel = &context, .args = &args, .workers = args.T, .bytes = 8.0 * args.T * args.C });
}

void nn_context_back_add(struct cmd *c, const struct context_back *back, const struct context *x)
{
    const struct context_args forward = arguments(x, back->dctx, back->dh);
    const uint32_t slots = back->M * back->B;
    const bool own = x->relevant.address; // every slot has its own rows
    tensor_expect("context_back", "dq", &back->dq, 2, forward.T, forward.D);
    tensor_expect("context_back", "dfixed", &back->dfixed, 2, slots, forward.D);
    if (own)
        tensor_expect("context_back", "rows", &back->rows, 1, slots);
    if (own ? forward.T > slots * back->decisions : forward.T != slots * back->S * back->decisions)
        bug("context_back: %u times %u decisions of %u slots in %u rows", back->decisions, back->S, slots, forward.T);
    struct context_back_args args = { .dh = back->dh.address,
        .dfixed = back->dfixed.address,
        .placeholder = back->dplaceholder.address,
        .ctx = back->dctx.address,
        .dq = back->dq.address,
        .state = x->state.address,
        .relevant = x->relevant.address,
        .first = x->first.address,
        .rows = back->rows.address,
        .T = forward.T,
        .N = x->N,
        .D = forward.D,
        .C = forward.C,
        .depot = forward.depot,
        .M = back->M,
        .B = back->B,
        .S = back->S,
        .decisions = back->decisions };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &context_back,
                        .args = &args,
                        .workers = own ? slots : back->B,
                        .bytes = 12.0 * args.T * (args.C + args.D) });
    if (args.placeholder)
        cmd_dispatch(c, &(struct dispatch){
                            .kernel = &context_start, .args = &args, .workers = cmd_workers(c, divide_up(args.C, 2)) });
}
