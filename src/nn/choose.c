#include "nn/choose.h"
#include "choose.spv.h"
#include "choose_back.spv.h"
#include "shaders/args.h"
#include "util/error.h"

static const struct kernel choose = KERNEL(choose);
static const struct kernel choose_back = KERNEL(choose_back);

uint32_t choose_checked(
    struct tensor action, struct tensor chosen, struct tensor total, struct tensor logp, const struct choose *how)
{
    static const uint32_t modes[] = {
        [GREEDY] = CHOOSE_GREEDY, [SAMPLE] = CHOOSE_SAMPLE, [GIVEN] = CHOOSE_GIVEN, [TAUGHT] = CHOOSE_TAUGHT
    };
    uint32_t T = action.dim[0], N = tensor_cols(&logp);
    tensor_expect("choose", "action", &action, 1, T);
    tensor_expect("choose", "chosen", &chosen, 1, T);
    tensor_expect("choose", "logp", &logp, 2, T, N);
    if (total.address)
        tensor_expect("choose", "total", &total, 1, T);
    if (how->mode == GIVEN || how->mode == TAUGHT)
        tensor_expect("choose", "given", &how->given, 1, T);
    if (how->mode == SAMPLE || how->mode == TAUGHT) {
        tensor_expect("choose", "instance", &how->instance, 1, T);
        tensor_expect("choose", "decoder", &how->decoder, 1, T);
    }
    return modes[how->mode];
}

void nn_choose(struct cmd *c, struct tensor action, struct tensor chosen, struct tensor total, struct tensor logp,
    const struct choose *how)
{
    uint32_t T = action.dim[0], N = tensor_cols(&logp), mode = choose_checked(action, chosen, total, logp, how);
    struct choose_args args = { .action = action.address,
        .chosen = chosen.address,
        .total = total.address,
        .logp = logp.address,
        .given = how->given.address,
        .instance = how->instance.address,
        .decoder = how->decoder.address,
        .step_ = how->step,
        .seed = how->seed,
        .T = T,
        .N = N };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &choose,
                        .args = &args,
                        .workers = cmd_workers(c, T),
                        .constants = { [CHOOSE_MODE] = mode },
                        .bytes = 4.0 * T * (N + 2) });
}

void nn_choose_back(struct cmd *c, struct tensor dlogp, struct tensor coefficient, struct tensor action)
{
    uint32_t T = action.dim[0], N = tensor_cols(&dlogp);
    tensor_expect("choose_back", "dlogp", &dlogp, 2, T, N);
    tensor_expect("choose_back", "coefficient", &coefficient, 1, coefficient.dim[0]);
    if (!coefficient.dim[0] || T % coefficient.dim[0])
        bug("choose_back: %u coefficients for %u actions", coefficient.dim[0], T);
    struct choose_back_args args = { .dlogp = dlogp.address,
        .coefficient = coefficient.address,
        .action = action.address,
        .T = T,
        .N = N,
        .coefficients = coefficient.dim[0] };
    cmd_dispatch(
        c, &(struct dispatch){
               .kernel = &choose_back, .args = &args, .workers = cmd_workers(c, T), .bytes = 4.0 * T * (N + 2) });
}
