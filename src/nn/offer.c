#include "nn/choose.h"
#include "offer.spv.h"
#include "shaders/args.h"

static const struct kernel offer = KERNEL(offer);

void offer_check(const struct offer *to, struct tensor logp)
{
    uint32_t T = logp.dim[0], K = tensor_cols(&to->offer);
    tensor_expect("offer", "offer", &to->offer, 2, T, K);
    tensor_expect("offer", "node", &to->node, 2, T, K);
    tensor_expect("offer", "score", &to->score, 1, T);
    tensor_expect("offer", "state", &to->state, 2, T, RULES_STATE);
}

void nn_offer(struct cmd *c, const struct offer *to, struct tensor logp)
{
    uint32_t T = logp.dim[0];
    offer_check(to, logp);
    struct offer_args args = { .offer = to->offer.address,
        .node = to->node.address,
        .logp = logp.address,
        .score = to->score.address,
        .state = to->state.address,
        .T = T,
        .N = tensor_cols(&logp),
        .K = tensor_cols(&to->offer) };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &offer, .args = &args, .workers = cmd_workers(c, T) });
}
