#include "model/config.h"

#include <string.h>

#include "util/error.h"

enum { OCCASIONS_MAX = 4096 };

uint32_t config_period(const struct problem *problem, uint32_t n)
{
    if (n <= 20)
        return 2;
    if (n <= 50)
        return problem->many_routes ? 6 : 4;
    return 8;
}

uint32_t config_occasions(uint32_t p, uint32_t n)
{
    uint32_t occasions = p == 0 ? 0 : n > 2 * p ? (n - 1) / p : 1;
    return occasions < OCCASIONS_MAX ? occasions : OCCASIONS_MAX; // later occasions use the last one
}

bool config_check(const struct config *c)
{
    if (!check_range("the embedding size", c->D, 8, CONFIG_D_MAX) ||
        !check_range("the number of heads", c->H, 1, CONFIG_H_MAX) ||
        !check_range("the number of hidden units", c->F, 8, CONFIG_F_MAX) ||
        !check_range("the number of layers", c->L, 1, CONFIG_L_MAX) ||
        !check_range("the number of decoders", c->M, 1, CONFIG_M_MAX) ||
        !check_range("the glimpse period", c->p, 0, CONFIG_P_MAX) ||
        !check_range("the number of glimpse occasions", c->O, 0, OCCASIONS_MAX))
        return false;
    if (c->D % 8 || c->F % 8 || c->D % c->H || c->D / c->H < 2 || c->D / c->H > 128)
        return fail_field(FAULT_INPUT, "heads",
            "an embedding of %u with %u heads and %u hidden units: the sizes must be multiples of 8, and the heads "
            "divide the embedding into parts of 2 to 128",
            c->D, c->H, c->F);
    bool reference = c->dialect == DIALECT_REFERENCE;
    if (reference ? c->norm == MODEL_BATCH || c->norm == MODEL_LAYER
                  : c->norm == MODEL_BATCH_LIVE || c->norm == MODEL_RUNNING)
        return fail(FAULT_INPUT, "the %s dialect has no normalisation \"%s\"", dialect_name(c->dialect),
            model_norm_name(c->norm));
    if (c->norm == MODEL_BATCH && c->p && !c->O)
        return fail(FAULT_INPUT, "glimpses require statistics for normalisation");
    return c->best_decoder < c->M || fail(FAULT_INPUT, "best decoder %u of %u", c->best_decoder, c->M);
}

static const char *const dialects[] = { "native", "reference", NULL };
static const char *const norms[] = { "instance", "batch", "layer", "batch-live", "running", NULL };

static int find(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++) {
        if (!strcmp(names[i], name))
            return i;
    }
    return -1;
}

const char *dialect_name(enum dialect dialect)
{
    return dialects[dialect];
}

const char *model_norm_name(enum model_norm norm)
{
    return norms[norm];
}

bool dialect_by_name(const char *name, enum dialect *dialect)
{
    int found = find(dialects, name);
    *dialect = found < 0 ? DIALECT_NATIVE : (enum dialect)found;
    return found >= 0;
}

bool model_norm_by_name(const char *name, enum model_norm *norm)
{
    int found = find(norms, name);
    *norm = found < 0 ? MODEL_INSTANCE : (enum model_norm)found;
    return found >= 0;
}
