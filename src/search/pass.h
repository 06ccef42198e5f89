// A search is one pass over all instances, or several with a deadline.
#ifndef SEARCH_PASS_H
#define SEARCH_PASS_H

#include "search/search.h"

struct search {
    const struct model *model;
    const struct instance *instances;
    size_t count;
    struct search_options options;
    struct scaled *scaled; // of every instance
    bool *settled;         // instances that need no further search
    bool *left_out;        // instances that are too large for the network
    double *best;          // lowest cost of each instance so far
    uint64_t room;         // bytes of device memory of one batch
    struct plan plan;      // of the next pass
    struct deadline deadline;
    struct search_result *results;
    bool answered;               // an answer without the network is certain
    double asked;                // time on the deadline's clock when `stop` first returned true; 0: not yet
    bool stopped;                // by `progress`, `stop` or the deadline
    bool cancelled;              // by `progress`
    double seconds;              // decoding time of the last pass
    struct improving *improving; // NULL: candidates are not improved
};

// Prepares the search for its first pass.
void search_begin(struct search *search, const struct deadline *deadline, struct search_result *results);
// Plans the next pass.
void search_plan(struct search *search, const struct decoding *decoding);
// Runs the planned pass. It is `urgent` while some instances have no solution: it is then cut only if it takes much too
// long.
bool search_pass(struct search *search, bool urgent);

// search/schedule.c: passes until the deadline.
bool search_until_deadline(struct search *search);

#endif
