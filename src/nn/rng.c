#include "nn/nn.h"
#include "rng.spv.h"
#include "shaders/args.h"

static const struct kernel rng = KERNEL(rng);

void nn_rng(struct cmd *c, struct tensor to, uint64_t seed, uint32_t purpose, uint32_t instance, uint32_t decoder)
{
    uint32_t count = to.dim[0];
    tensor_expect("rng", "to", &to, 2, count, 4);
    struct rng_args args = {
        .to = to.address, .seed = seed, .purpose = purpose, .instance = instance, .decoder = decoder, .count = count
    };
    cmd_dispatch(c,
        &(struct dispatch){ .kernel = &rng, .args = &args, .workers = cmd_workers(c, count), .bytes = 16.0 * count });
}
