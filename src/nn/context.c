#include "context.spv.h"
#include "context_back.spv.h"
#include "context_start.spv.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "util/divide.h"

static const struct kernel context = KERNEL(context), context_back = KERNEL_WITH(context_back, context),
                           context_start = KERNEL_WITH(context_start, context);

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

void nn_context_back_add(struct cmd *c, struct tensor dh, struct tensor dplaceholder, struct tensor dctx,
    const struct context *x, uint32_t M, uint32_t B, uint32_t S)
{
    struct context_args args = arguments(x, dctx, dh);
    bool own = x->relevant.address; // every trajectory has its own rows
    args.M = own ? 1 : M;
    args.B = own ? args.T : B;
    args.S = own ? 1 : S;
    cmd_dispatch(c, &(struct dispatch){
                        .kernel = &context_back, .args = &args, .workers = args.B, .bytes = 12.0 * args.T * args.C });
    if (!dplaceholder.address)
        return;
    args.placeholder = dplaceholder.address;
    cmd_dispatch(c,
        &(struct dispatch){ .kernel = &context_start, .args = &args, .workers = cmd_workers(c, divide_up(args.C, 2)) });
}
