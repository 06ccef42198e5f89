#include "nn/nn.h"
#include "norm2.spv.h"
#include "norm2_sum.spv.h"
#include "shaders/args.h"

static const struct kernel norm2 = KERNEL(norm2), norm2_sum = KERNEL(norm2_sum);

void nn_norm2(struct cmd *c, struct tensor norm, struct tensor part, struct tensor x)
{
    tensor_expect("norm2", "norm", &norm, 1, 2);
    tensor_expect("norm2", "part", &part, 1, NORM2_PARTS);
    uint32_t count = (uint32_t)tensor_count(&x);
    struct norm2_args args = { .part = part.address, .x = x.address, .count = count };
    cmd_dispatch(
        c, &(struct dispatch){
               .kernel = &norm2, .args = &args, .workers = NORM2_PARTS, .flops = 2.0 * count, .bytes = 4.0 * count });
    struct norm2_sum_args sum_args = { .norm = norm.address, .part = part.address };
    cmd_dispatch(
        c, &(struct dispatch){ .kernel = &norm2_sum, .args = &sum_args, .workers = 1, .bytes = 4.0 * NORM2_PARTS });
}
