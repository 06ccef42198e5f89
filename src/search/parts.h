// Solves parts of a solution with the network. Neighbouring routes, or a window of a tour with fixed ends, become an
// instance of a size that the model was trained on. Its answer replaces them if the whole solution improves.
#ifndef SEARCH_PARTS_H
#define SEARCH_PARTS_H

#include "search/search.h"

struct plan_part {
    struct instance instance;
    uint32_t *numbers; // (n): index in the solution of each customer; a window's ends are first and last
    bool solved;
    struct solution answer; // in the part's own indices; for a window, from its first customer to its last
};

// Returns whether solutions of the instance have parts for a model of this configuration: it is larger than in
// training, every customer is visited, and limits hold for each route alone.
bool parts_exist(const struct config *config, const struct instance *instance);

// Proposes at most MAX_PARTS parts without a common edge, an stb_ds array. Other rounds give other parts.
struct plan_part *parts_propose(const struct config *config, const struct instance *instance,
    const struct solution *plan, uint32_t round, uint32_t max_parts);
void parts_finish(struct plan_part **parts);

// Solves the parts by beam search and improves the answers by local search. Ends early, with some parts unsolved, at
// the deadline or when `stop` returns true.
struct parts_options {
    uint64_t seed, memory;
    struct deadline deadline;
    bool (*stop)(void *user);
    void *user;
};
bool parts_solve(struct plan_part *parts, const struct model *model, const struct parts_options *options);

// Puts a solved part's answer into a solution that still has the part, whatever the rest is. Returns false and changes
// nothing if it has not, or does not improve.
bool part_put(const struct plan_part *part, const struct instance *instance, struct solution *plan);

#endif
