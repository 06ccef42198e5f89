#include "copy.spv.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "util/divide.h"

static const struct kernel copy = KERNEL(copy);

static void run(struct cmd *c, struct tensor to, struct tensor from, bool add)
{
    uint32_t count = (uint32_t)tensor_count(&from), per_worker = 16 * gpu_info(cmd_gpu(c))->lanes;
    tensor_expect("copy", "to", &to, from.rank, from.dim[0], from.dim[1], from.dim[2], from.dim[3]);
    // Part of a tensor with odd rows may start at an odd float, where some GPUs fault on pairs.
    const bool paired = to.address % 8 == 0 && from.address % 8 == 0;
    struct copy_args args = { .to = to.address, .from = from.address, .count = count };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &copy,
                        .args = &args,
                        .workers = divide_up(count, per_worker),
                        .constants = { [COPY_ADD] = add, [COPY_PAIRED] = paired },
                        .bytes = (add ? 12.0 : 8.0) * count });
}

void nn_copy(struct cmd *c, struct tensor to, struct tensor from)
{
    run(c, to, from, false);
}

void nn_add(struct cmd *c, struct tensor to, struct tensor from)
{
    run(c, to, from, true);
}
