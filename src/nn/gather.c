#include "gather.spv.h"
#include "gather_back.spv.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "util/divide.h"
#include "util/error.h"

static const struct kernel gather = KERNEL(gather), gather_back = KERNEL(gather_back);

void nn_gather(struct cmd *c, struct tensor y, struct tensor x, struct tensor index)
{
    uint32_t I = index.dim[0], D = tensor_cols(&x), lanes = gpu_info(cmd_gpu(c))->lanes;
    uint32_t per_worker = lanes < GATHER_ROWS ? lanes : GATHER_ROWS;
    tensor_expect("gather", "index", &index, 1, I);
    tensor_expect("gather", "y", &y, 2, I, D);
    struct gather_args args = { .y = y.address, .x = x.address, .index = index.address, .count = I };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &gather,
                        .args = &args,
                        .workers = divide_up(I, per_worker),
                        .constants = { [ROWS_D] = D, [ROWS_SPREAD] = 1 },
                        .bytes = 8.0 * I * D });
}

void nn_gather_back_add(struct cmd *c, struct tensor dx, struct tensor dy, struct tensor index, uint32_t run)
{
    uint32_t I = index.dim[0], D = tensor_cols(&dx);
    tensor_expect("gather_back", "index", &index, 1, I);
    tensor_expect("gather_back", "dy", &dy, 2, I, D);
    if (!run)
        bug("gather_back: a run of 0 entries");
    struct gather_back_args args = {
        .dx = dx.address, .dy = dy.address, .index = index.address, .count = I, .run = run
    };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &gather_back,
                        .args = &args,
                        .workers = I,
                        .constants = { [ROWS_D] = D, [ROWS_SPREAD] = 1, [GATHER_BACK_SINGLE] = run == 1 },
                        .bytes = 12.0 * I * D });
}
