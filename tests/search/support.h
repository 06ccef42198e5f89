// Models and instances for tests of searches.
#ifndef TESTS_SEARCH_SUPPORT_H
#define TESTS_SEARCH_SUPPORT_H

#include "device.h"
#include "search/beam.h"
#include "search/search.h"

// An untrained model of D = 16: native with instance statistics, or the reference dialect with tracked ones. Its
// weights are drawn with this seed.
#define SEARCH_SEED 3
struct model *search_model(
    struct gpu *gpu, const struct problem *problem, uint32_t M, uint32_t p, enum dialect dialect);

// COUNT instances with n_min, n_min + 1, ... n_max, n_min, ... customers; vehicles hold few of them.
struct scaled *search_instances(const struct problem *problem, uint32_t n_min, uint32_t n_max, uint32_t count);
void search_instance( // number I of them
    struct instance *instance, const struct problem *problem, uint32_t n_min, uint32_t n_max, uint32_t i);
void search_instances_free(struct scaled **list, uint32_t count);

// Solves all instances until the deadline; NULL: there is none. RESULTS are to be finished.
void search_all(const struct model *model, const struct instance *instances, size_t count,
    const struct search_options *options, const struct deadline *deadline, struct search_result *results);

// The result of a search: costs (T) and actions (J, T).
struct search_outcome {
    uint32_t T, J;
    float *cost;
    uint32_t *actions;
};
void search_outcome_finish(struct search_outcome *outcome);

// B, N and J of the shape come from the instances.
struct search_outcome search_by_beam(
    struct model *model, const struct scaled *list, uint32_t count, struct beam_shape shape);
struct search_outcome search_greedily(struct model *model, const struct scaled *list, uint32_t count);

#endif
