#include "collect.spv.h"
#include "nn/nn.h"
#include "shaders/args.h"

static const struct kernel collect = KERNEL(collect);

void nn_collect_add(struct cmd *c, struct tensor to, struct tensor from)
{
    uint32_t R = from.dim[0], C = from.dim[1], lanes = gpu_info(cmd_gpu(c))->lanes;
    tensor_expect("collect", "from", &from, 2, R, C);
    tensor_expect("collect", "to", &to, 1, C);
    struct collect_args args = { .to = to.at, .from = from.at, .R = R, .C = C };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &collect,
                        .args = &args,
                        .workers = (C + lanes - 1) / lanes,
                        .flops = (double)R * C,
                        .bytes = 4.0 * R * C });
}
