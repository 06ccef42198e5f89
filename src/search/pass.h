// A search is one pass over all instances, or with a deadline several.
#ifndef SEARCH_PASS_H
#define SEARCH_PASS_H

#include "search/run.h"

struct search {
    struct model *model;
    const struct instance *instances;
    size_t count;
    const struct search_options *options;
    struct search_result *results;
    struct scaled *scaled; // of every instance
    double *best;          // lowest cost of each instance so far
    uint64_t room;         // bytes of device memory for one batch
    bool stopped;          // by `progress`, `stop` or the deadline
    double seconds;        // that devices have decoded in the last pass
};

// Looks for solutions of all instances in this way. A pass is `urgent` while some have none: batches under way are
// finished then.
bool search_pass(struct search *search, const struct way *way, bool urgent);

// Whether the memory is enough for one instance with the most nodes and the most decisions of all.
bool search_fits(const struct search *search, const struct way *way);

// Passes until the deadline.
bool search_until_deadline(struct search *search);

#endif
