#include "model/fit.h"

#include <stb/stb_ds.h>

#include "problem/familiar.h"
#include "util/alloc.h"

void fit_warn(const struct config *config, const struct instance *instance, char ***warnings)
{
    // Of an imported model it is not known how much it has seen.
    if (config->dialect == DIALECT_NATIVE && config->instances == 0)
        arrput(*warnings, xstrdup("the model is untrained: its solutions are as good as random ones"));
    else if (config->trained.n_max)
        familiar_warn(&config->trained, instance, warnings);
}
