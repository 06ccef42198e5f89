#include "collect.spv.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "util/error.h"

static const struct kernel collect = KERNEL(collect);

void nn_collect_add(struct cmd *c, struct tensor to, uint32_t stride, struct tensor from, uint32_t parts)
{
    uint32_t G = to.dim[0], C = to.dim[1];
    tensor_expect("collect", "to", &to, 2, G, C);
    tensor_expect("collect", "from", &from, 2, from.dim[0], C);
    if (!parts || from.dim[0] % (parts * G))
        bug("collect: %u rows for %u groups in %u parts", from.dim[0], G, parts);
    struct collect_args args = { .to = to.address,
        .from = from.address,
        .P = parts,
        .G = G,
        .R = from.dim[0] / parts / G,
        .C = C,
        .stride = stride ? stride : C };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &collect,
                        .args = &args,
                        .workers = G * cmd_workers(c, C),
                        .flops = (double)tensor_count(&from),
                        .bytes = 4.0 * (double)tensor_count(&from) });
}
