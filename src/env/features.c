#include "env/rules.h"
#include "features.spv.h"
#include "shaders/args.h"

static const struct kernel kernel = KERNEL(features);

void batch_features(struct cmd *c, struct tensor f, const struct batch *batch)
{
    uint32_t rows = batch->B * batch->N;
    tensor_expect("features", "f", &f, 2, rows, FEATURES);
    struct features_args args = { .f = f.at,
        .nodes = batch->nodes.at,
        .limits = batch->limits.at,
        .B = batch->B,
        .N = batch->N,
        .depot = batch->problem->has_depot,
        .third = batch->problem->features[0],
        .fourth = batch->problem->features[1] };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &kernel, .args = &args, .workers = cmd_workers(c, rows) });
}
