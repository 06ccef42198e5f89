// Plans once, before running, which instances and views form each batch, how many samples it draws at a time and how
// much memory it needs.
#ifndef SEARCH_PLAN_H
#define SEARCH_PLAN_H

#include "problem/scale.h"
#include "search/strategy.h"

// One instance as the network sees it, in one of its symmetries.
struct plan_item {
    struct scaled scaled; // the plan owns its coordinates, the search the rest
    size_t instance;
    uint32_t symmetry;
    uint32_t J;               // max decisions
    struct decoding decoding; // the strategy's options for it
};

struct plan_batch {
    size_t first;           // index of its first item; the shape has the number of items
    struct run_shape shape; // if the samples are too many for one run: rounds of shape.S each
    uint64_t bytes;
};

struct plan {
    struct plan_item *items;    // stb_ds array, by kind and size
    struct plan_batch *batches; // stb_ds array
};

// Input of a plan.
struct plan_task {
    const struct model *model;
    const struct instance *instances;
    const struct scaled *scaled; // of each
    const bool *skip, *left_out; // instances to skip; may be NULL
    size_t count;
    struct decoding decoding;
    uint64_t seed;
    uint64_t room; // bytes of device memory of one batch
};

// Returns the max rows of a batch on a device: trajectories times nodes.
uint64_t plan_rows(const struct gpu_info *info, enum mdam_decode decode);

void plan_make(struct plan *plan, const struct plan_task *task);
void plan_finish(struct plan *plan); // accepts a zeroed plan

// Returns the batch that needs more than BYTES although it is as small as possible; NULL: none.
const struct plan_batch *plan_too_large(const struct plan *plan, uint64_t bytes);

#endif
