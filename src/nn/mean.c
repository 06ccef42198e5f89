#include "mean.spv.h"
#include "mean_back.spv.h"
#include "nn/rows.h"
#include "shaders/args.h"

static const struct kernel mean_kernel = KERNEL(mean), mean_back = KERNEL(mean_back);

void nn_mean(struct cmd *c, struct tensor mean, struct segments seg, struct tensor x)
{
    uint32_t D = tensor_cols(&x), spread = rows_spread(c, D);
    rows_expect("mean", &seg, &x);
    tensor_expect("mean", "mean", &mean, 2, seg.S, D);
    struct mean_args args = {
        .mean = mean.address, .x = x.address, .first = seg.first, .rows = seg.rows, .S = seg.S, .N = seg.N
    };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &mean_kernel,
                        .args = &args,
                        .workers = (uint64_t)seg.S * spread,
                        .constants = { [ROWS_D] = D, [ROWS_SPREAD] = spread },
                        .bytes = 4.0 * (rows_floats(&seg, &x) + (double)tensor_count(&mean)) });
}

void nn_mean_back_add(struct cmd *c, struct tensor dx, struct segments seg, struct tensor dmean)
{
    uint32_t D = tensor_cols(&dx), spread = rows_spread(c, D);
    rows_expect("mean_back", &seg, &dx);
    tensor_expect("mean_back", "dmean", &dmean, 2, seg.S, D);
    struct mean_back_args args = {
        .dx = dx.address, .dmean = dmean.address, .first = seg.first, .rows = seg.rows, .S = seg.S, .N = seg.N
    };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &mean_back,
                        .args = &args,
                        .workers = (uint64_t)seg.S * spread,
                        .constants = { [ROWS_D] = D, [ROWS_SPREAD] = spread },
                        .bytes = 4.0 * (double)(2 * tensor_count(&dx) + tensor_count(&dmean)) });
}
