// What is decoded together: planned once, before it runs. A plan says which instances and views make up each batch, how
// many samples it draws at a time and what memory it takes; running uses the plan as it is.
#ifndef SEARCH_PLAN_H
#define SEARCH_PLAN_H

#include "problem/scale.h"
#include "search/strategy.h"

// One instance as the network sees it, in one of its symmetries.
struct plan_item {
    struct scaled scaled; // its coordinates are the plan's, the rest the search's
    size_t instance;
    uint32_t symmetry;
    uint32_t J;     // most decisions
    struct way way; // the strategy's choice for it
};

struct plan_batch {
    size_t first;           // of the items; as many as the shape has instances
    struct run_shape shape; // of samples that are too many for one run, rounds of shape.S each
    uint64_t bytes;
};

struct plan {
    struct plan_item *items;    // stb_ds array, by size
    struct plan_batch *batches; // stb_ds array
};

// What is to be planned.
struct plan_task {
    const struct model *model;
    const struct instance *instances;
    const struct scaled *scaled; // of each
    const bool *skip, *left_out; // instances to be left out, or NULL
    size_t count;
    struct way way;
    uint64_t seed;
    uint64_t room; // bytes of device memory for one batch
};

void plan_make(struct plan *plan, const struct plan_task *task);
void plan_finish(struct plan *plan); // also of a zeroed one

// The batch that takes more than so many bytes, alone in it as small as it can be; NULL: there is none.
const struct plan_batch *plan_too_large(const struct plan *plan, uint64_t bytes);

#endif
