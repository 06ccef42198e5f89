#include "train/recipe.h"

static double imitation_of(const struct problem *problem)
{
    if (problem->reveals)
        return -1; // none
    return !problem->has_depot ? 1 : problem_may_leave_out(problem) ? 0.2 : 0.1;
}

// By what was measured (docs/training.md): absolute numbers matter where customers may be left out, and `layer` keeps
// them; plans of several routes take less imitation before the samples grow worse, and where visits reveal prizes the
// teacher, which expects them, is too weak; glimpses come in the last fifth.
static void fill_fast(struct mdam_train_options *o, const struct problem *problem, bool has_init)
{
    const bool absolute = problem_may_leave_out(problem);
    if (!o->keep_baseline)
        o->baseline = MDAM_BASELINE_SHARED;
    o->batch = o->batch ? o->batch : 32;
    o->rollouts = o->rollouts ? o->rollouts : 8;
    o->epochs = o->epochs ? o->epochs : 20;
    o->epoch_size = o->epoch_size ? o->epoch_size : 5120;
    o->val_size = o->val_size ? o->val_size : 1000;
    if (!(o->lr > 0) && !(o->lr_final > 0) && !(o->lr_decay > 0)) {
        o->lr = has_init ? 2e-4 : 5e-4;
        o->lr_final = 1e-5;
    }
    if (!(o->kl > 0) && !(o->kl < 0))
        o->kl = 0.005;
    if (!(o->imitate > 0) && !(o->imitate < 0))
        o->imitate = imitation_of(problem);
    if (!o->norm && !has_init)
        o->norm = absolute ? "layer" : "instance";
    if (!o->glimpse && !o->glimpse_from) {
        o->glimpse = o->epochs < 5 ? -1 : 0; // too short for them
        o->glimpse_from = o->epochs < 5 ? 0 : o->epochs - o->epochs / 5;
    }
}

void recipe_fill(struct mdam_train_options *options, const struct problem *problem, bool has_init)
{
    if (options->recipe == MDAM_RECIPE_FAST)
        fill_fast(options, problem, has_init);
}
