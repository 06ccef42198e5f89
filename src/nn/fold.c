#include "fold.spv.h"
#include "fold_back.spv.h"
#include "fold_back_out.spv.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "util/divide.h"

static const struct kernel fold = KERNEL(fold), fold_back = KERNEL_WITH(fold_back, fold),
                           fold_back_out = KERNEL_WITH(fold_back_out, fold);

static struct fold_args arguments(struct tensor y, struct tensor w, struct tensor out)
{
    uint32_t G = out.dim[0], D = out.dim[1];
    bool shared_w = tensor_count(&w) != tensor_count(&y);
    tensor_expect("fold", "out", &out, 3, G, D, D);
    return (struct fold_args){ .y = y.address,
        .w = w.address,
        .out_ = out.address,
        .G = G,
        .R = (uint32_t)(tensor_count(&y) / (3 * D) / G),
        .D = D,
        .shared_w = shared_w };
}

// Processes `rows` of each of `groups` groups, FOLD_ROWS at a time, by LANES of D columns.
static void run(
    struct cmd *c, const struct kernel *kernel, const struct fold_args *args, uint32_t groups, uint32_t rows)
{
    cmd_dispatch(c, &(struct dispatch){ .kernel = kernel,
                        .args = args,
                        .workers = groups * divide_up(rows, FOLD_ROWS) * cmd_workers(c, args->D),
                        .flops = 2.0 * args->G * args->R * args->D * args->D });
}

void nn_fold(struct cmd *c, struct tensor y, struct tensor w, struct tensor out)
{
    struct fold_args args = arguments(y, w, out);
    run(c, &fold, &args, args.G, args.R);
}

void nn_fold_back(
    struct cmd *c, struct tensor dw, struct tensor dout, struct tensor dy, struct tensor w, struct tensor out)
{
    struct fold_args args = arguments(dy, w, out);
    args.dw = dw.address;
    args.dout = dout.address;
    run(c, &fold_back, &args, args.shared_w ? 1 : args.G, args.R);
    run(c, &fold_back_out, &args, args.G, args.D);
}
