#include <math.h>

#include "adam.spv.h"
#include "adam_plan.spv.h"
#include "nn/nn.h"
#include "shaders/args.h"
#include "util/divide.h"

static const struct kernel adam = KERNEL(adam), adam_plan = KERNEL(adam_plan);

void nn_adam(struct cmd *c, struct tensor w, struct tensor m, struct tensor v, struct tensor state, struct tensor g,
    struct tensor norm, struct tensor rate, const struct adam_settings *settings)
{
    uint32_t count = (uint32_t)tensor_count(&w), per_worker = 2 * ADAM_PAIRS * gpu_info(cmd_gpu(c))->lanes;
    tensor_expect("adam", "w", &w, 1, count);
    tensor_expect("adam", "m", &m, 1, count);
    tensor_expect("adam", "v", &v, 1, count);
    tensor_expect("adam", "g", &g, 1, count);
    tensor_expect("adam", "state", &state, 1, ADAM_STATE);
    tensor_expect("adam", "norm", &norm, 1, 2);
    tensor_expect("adam", "rate", &rate, 1, 1);
    // Computes 1 - beta and log(beta) from doubles: in single precision 1 - 0.999 loses four digits.
    struct adam_plan_args plan_args = {
        .state = state.address,
        .norm = norm.address,
        .rate = rate.address,
        .max_norm = (float)settings->max_norm,
        .log_beta1 = (float)log(settings->beta1),
        .log_beta2 = (float)log(settings->beta2),
    };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &adam_plan, .args = &plan_args, .workers = 1 });
    struct adam_args args = {
        .w = w.address,
        .m = m.address,
        .v = v.address,
        .state = state.address,
        .g = g.address,
        .count = count,
        .beta1 = (float)settings->beta1,
        .rest1 = (float)(1 - settings->beta1),
        .beta2 = (float)settings->beta2,
        .rest2 = (float)(1 - settings->beta2),
        .eps = (float)settings->eps,
    };
    cmd_dispatch(c, &(struct dispatch){ .kernel = &adam,
                        .args = &args,
                        .workers = divide_up(count, per_worker),
                        .flops = 15.0 * count,
                        .bytes = 28.0 * count });
}
