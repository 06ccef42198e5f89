// The list of our own packs.
#include <stdio.h>

#include "selftest/pack.h"

// Every problem with every dialect and normalisation.
static const struct {
    const char *name;
    enum dialect dialect;
    enum model_norm norm;
} variants[] = {
    { "instance", DIALECT_NATIVE, MODEL_INSTANCE },
    { "batch", DIALECT_NATIVE, MODEL_BATCH },
    { "layer", DIALECT_NATIVE, MODEL_LAYER },
    { "reference-live", DIALECT_REFERENCE, MODEL_BATCH_LIVE },
    { "reference-instance", DIALECT_REFERENCE, MODEL_INSTANCE },
    { "reference-running", DIALECT_REFERENCE, MODEL_RUNNING },
};

// Unusual sizes, native with instance statistics.
static const struct {
    const char *name;
    const struct problem *problem;
    uint32_t D, H, F, L, M, p, B, n_min, n_max;
} sizes[] = {
    { "tsp-70-p1", &problem_tsp, 128, 8, 64, 2, 1, 1, 1, 70, 70 },
    { "cvrp-66", &problem_cvrp, 64, 8, 128, 2, 1, 8, 2, 60, 66 },
    { "op-65", &problem_op, 128, 8, 64, 2, 1, 3, 2, 65, 65 },
    { "sdvrp-wide", &problem_sdvrp, 128, 8, 512, 3, 5, 2, 2, 9, 12 },
    { "pctsp-p1", &problem_pctsp, 64, 4, 128, 2, 1, 1, 4, 10, 10 },
    { "tsp-no-glimpse", &problem_tsp, 64, 8, 256, 3, 3, 0, 4, 4, 12 },
    { "sdvrp-no-glimpse", &problem_sdvrp, 64, 8, 128, 2, 2, 0, 3, 4, 9 },
    { "cvrp-one-layer", &problem_cvrp, 72, 9, 24, 1, 2, 2, 4, 1, 8 },
};

enum { VARIANTS = sizeof variants / sizeof *variants, SIZES = sizeof sizes / sizeof *sizes, PROBLEMS = 6 };

static const char *variant_of(uint32_t index, struct pack_recipe *recipe)
{
    static char name[64];
    const struct problem *problem = problems[index / VARIANTS];
    uint32_t variant = index % VARIANTS;
    bool native = variants[variant].dialect == DIALECT_NATIVE;
    // The released program's batches have one size.
    *recipe = (struct pack_recipe){ .config = { .problem = problem,
                                        .dialect = variants[variant].dialect,
                                        .norm = variants[variant].norm,
                                        .D = 64,
                                        .H = 8,
                                        .F = 128,
                                        .L = 2,
                                        .M = 3,
                                        .p = 2,
                                        .O = variants[variant].norm == MODEL_BATCH ? 3 : 0 },
        .B = 3,
        .n_min = native ? 7 : 10,
        .n_max = 10 };
    snprintf(name, sizeof name, "%s-%s", problem->name, variants[variant].name);
    return name;
}

const char *pack_own(uint32_t index, struct pack_recipe *recipe)
{
    if (index < PROBLEMS * VARIANTS)
        return variant_of(index, recipe);
    index -= PROBLEMS * VARIANTS;
    if (index >= SIZES)
        return NULL;
    *recipe = (struct pack_recipe){ .config = { .problem = sizes[index].problem,
                                        .D = sizes[index].D,
                                        .H = sizes[index].H,
                                        .F = sizes[index].F,
                                        .L = sizes[index].L,
                                        .M = sizes[index].M,
                                        .p = sizes[index].p },
        .B = sizes[index].B,
        .n_min = sizes[index].n_min,
        .n_max = sizes[index].n_max };
    return sizes[index].name;
}
