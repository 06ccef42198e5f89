#include "model/fit.h"

#include <stb/stb_ds.h>

#include "problem/familiar.h"
#include "util/alloc.h"

void fit_warn(const struct config *config, const struct instance *instance, char ***warnings)
{
    // The training of imported models is unknown.
    if (config->dialect == DIALECT_NATIVE && config->instances == 0)
        arrput(*warnings, xstrdup("the model is untrained: its solutions are no better than random ones"));
    else if (config->trained.n_max)
        familiar_warn(&config->trained, instance, warnings);
}
