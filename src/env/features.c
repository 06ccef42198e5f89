#include "env/rules.h"
#include "features.spv.h"
#include "shaders/args.h"

static const struct kernel kernel = KERNEL(features);

void batch_features(struct cmd *c, struct tensor f, const struct batch *batch)
{
    uint32_t rows = batch->B * batch->N, words[FEATURES_OWN] = { 0 }, count = 0;
    FOR_COLUMNS(column, batch->problem)
    {
        if (column->feature)
            words[count++] = column->unit == UNIT_LOAD ? column->copy : column->word;
    }
    tensor_expect("features", "f", &f, 2, rows, FEATURES);
    struct features_args args = { .f = f.address,
        .nodes = batch->nodes.address,
        .limits = batch->limits.address,
        .B = batch->B,
        .N = batch->N,
        .depot = batch->problem->has_depot,
        .third = words[0],
        .fourth = words[1] };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &kernel, .args = &args, .workers = cmd_workers(c, rows) });
}
