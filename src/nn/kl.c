#include "kl.spv.h"
#include "kl_back.spv.h"
#include "nn/nn.h"
#include "shaders/args.h"

static const struct kernel kl_forward = KERNEL(kl);
static const struct kernel kl_back = KERNEL(kl_back);

void nn_kl(struct cmd *c, struct tensor kl, struct tensor logp)
{
    uint32_t M = logp.dim[0], B = logp.dim[1], N = logp.dim[2];
    tensor_expect("kl", "logp", &logp, 3, M, B, N);
    tensor_expect("kl", "kl", &kl, 1, B);
    struct kl_args args = { .kl = kl.address, .logp = logp.address, .M = M, .B = B, .N = N };
    cmd_dispatch(c, &(struct dispatch){
                        .kernel = &kl_forward, .args = &args, .workers = cmd_workers(c, B), .bytes = 4.0 * M * B * N });
}

void nn_kl_back_add(struct cmd *c, struct tensor dlogp, struct tensor dkl, struct tensor logp)
{
    uint32_t M = logp.dim[0], B = logp.dim[1], N = logp.dim[2];
    tensor_expect("kl_back", "logp", &logp, 3, M, B, N);
    tensor_expect("kl_back", "dlogp", &dlogp, 3, M, B, N);
    tensor_expect("kl_back", "dkl", &dkl, 1, B);
    if (M == 1)
        return; // the term is constant
    struct kl_back_args args = {
        .dlogp = dlogp.address, .dkl = dkl.address, .logp = logp.address, .M = M, .B = B, .N = N
    };
    cmd_dispatch(c, &(struct dispatch){
                        .kernel = &kl_back, .args = &args, .workers = cmd_workers(c, B), .bytes = 12.0 * M * B * N });
}
