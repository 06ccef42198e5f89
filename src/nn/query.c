#include "nn/forms.h"
#include "nn/rows.h"
#include "query.spv.h"
#include "query_back.spv.h"
#include "shaders/args.h"
#include "util/divide.h"
#include "util/error.h"

static const struct kernel query_kernel = KERNEL(query), query_back = KERNEL_WITH(query_back, query);

// `values` are those of a forward pass, or their gradients.
static struct query_args arguments(
    const char *operation, struct tensor q, const struct query *values, const struct query *x)
{
    const uint32_t rows = q.dim[0], D = tensor_cols(&q), S = x->fixed.dim[0], T = S * x->repeat, G = x->extra.dim[0];
    const bool depot = x->scalar.address;
    if (depot == (x->first.address != 0))
        bug("%s: %s", operation, depot ? "a first node and a depot" : "neither a first node nor a depot");
    if (D % 2 || x->stride % 2 || !T || rows % T || S % G)
        bug("%s: %u rows of %u, %u slots for %u in %u groups, stride %u", operation, rows, D, S, x->repeat, G,
            x->stride);
    tensor_expect(operation, "q", &q, 2, rows, D);
    tensor_expect(operation, "state", &x->state, 2, rows, RULES_STATE);
    tensor_expect(operation, "current", &values->current, 2, S * x->N, D);
    tensor_expect(operation, "fixed", &values->fixed, 2, S, D);
    tensor_expect(operation, "extra", &values->extra, 2, G, D);
    if (depot)
        tensor_expect(operation, "scalar", &x->scalar, 1, rows);
    else
        tensor_expect(operation, "first", &values->first, 2, S * x->N, D);
    return (struct query_args){ .q = q.address,
        .first = values->first.address,
        .current = values->current.address,
        .fixed_ = values->fixed.address,
        .extra = values->extra.address,
        .state = x->state.address,
        .scalar = x->scalar.address,
        .T = T,
        .N = x->N,
        .S = S,
        .repeat = x->repeat,
        .decisions = rows / T,
        .per_group = S / G,
        .stride = x->stride ? x->stride : D };
}

void nn_query(struct cmd *c, struct tensor q, const struct query *x)
{
    struct query_args args = arguments("query", q, x, x);
    const struct gpu_info *info = gpu_info(cmd_gpu(c));
    uint32_t D = tensor_cols(&q), together = form_constant(form_choose(info, FORM_ROWS, NULL), QUERY_DECISIONS);
    together = together < info->lanes ? together : info->lanes;
    cmd_dispatch(c, &(struct dispatch){ .kernel = &query_kernel,
                        .args = &args,
                        .workers = args.S * divide_up((uint64_t)args.decisions * args.repeat, together),
                        .constants = { [ROWS_D] = D,
                            [ROWS_SPREAD] = 1,
                            [QUERY_DEPOT] = x->scalar.address != 0,
                            [QUERY_DECISIONS] = together },
                        .bytes = 16.0 * q.dim[0] * D });
}

void nn_query_back_add(
    struct cmd *c, const struct query *d, struct tensor scratch, struct tensor dq, const struct query *x)
{
    struct query_args args = arguments("query_back", dq, d, x);
    const uint32_t D = tensor_cols(&dq), spread = rows_spread(c, D);
    tensor_expect("query_back", "scratch", &scratch, 2, args.S, D);
    args.extra = scratch.address;
    cmd_dispatch(c, &(struct dispatch){ .kernel = &query_back,
                        .args = &args,
                        .workers = (uint64_t)args.S * spread,
                        .constants = { [ROWS_D] = D, [ROWS_SPREAD] = spread, [QUERY_DEPOT] = x->scalar.address != 0 },
                        .bytes = 12.0 * dq.dim[0] * D });
    nn_collect_add(c, d->extra, d->stride, scratch, 1);
}
