// A search is one pass over all instances, or with a deadline several.
#ifndef SEARCH_PASS_H
#define SEARCH_PASS_H

#include "search/search.h"

struct search {
    const struct model *model;
    const struct instance *instances;
    size_t count;
    struct search_options options;
    struct scaled *scaled; // of every instance
    bool *settled;         // instances with nothing left to look for
    bool *left_out;        // instances that are too large for the network
    double *best;          // lowest cost of each instance so far
    uint64_t room;         // bytes of device memory for one batch
    struct plan plan;      // of the next pass
    struct deadline deadline;
    struct search_result *results;
    bool answered;               // an answer without the network is certain
    double asked;                // by the deadline's clock: when `stop` first said so; 0: it has not
    bool stopped;                // by `progress`, `stop` or the deadline
    bool cancelled;              // by `progress`
    double seconds;              // that devices have decoded in the last pass
    struct improving *improving; // NULL: candidates stay as they are
};

// Makes the search ready for its first pass.
void search_begin(struct search *search, const struct deadline *deadline, struct search_result *results);
// Plans the next pass.
void search_plan(struct search *search, const struct way *way);
// Looks for solutions as planned. A pass is `urgent` while some instances have none: it is then cut only if it takes
// much too long.
bool search_pass(struct search *search, bool urgent);

// search/schedule.c: passes until the deadline.
bool search_until_deadline(struct search *search);

#endif
