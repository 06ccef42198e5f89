// Parts of a plan, solved by the network. Neighbouring routes, or a window of a tour with both ends fixed, become an
// instance of a size that the model was trained on. Its answer replaces them where the whole plan gets better by it.
#ifndef SEARCH_PARTS_H
#define SEARCH_PARTS_H

#include "search/search.h"

struct plan_part {
    struct instance instance;
    uint32_t *numbers; // (n): the plan's number of each customer; a window's ends are the first and the last
    bool solved;
    struct solution answer; // in the part's own numbers; of a window, from its first customer to its last
};

// Whether the instance's plans have parts for a model of this configuration: it is larger than those that the model was
// trained on, every customer is visited, and limits hold for each route alone.
bool parts_exist(const struct config *config, const struct instance *instance);

// At most MOST parts that have no edge of the plan in common, an stb_ds array. Other rounds give other parts.
struct plan_part *parts_propose(const struct config *config, const struct instance *instance,
    const struct solution *plan, uint32_t round, uint32_t most);
void parts_finish(struct plan_part **parts);

// Solves the parts by beam and improves the answers by local search. Ends early, with some not solved, at the deadline
// or when `stop` says so.
struct parts_options {
    uint64_t seed, memory;
    struct deadline deadline;
    bool (*stop)(void *user);
    void *user;
};
bool parts_solve(struct plan_part *parts, const struct model *model, const struct parts_options *options);

// Puts a solved part's answer into a plan that still has the part, whatever the rest looks like. Returns false and
// leaves the plan as it is where it has not, or does not get better.
bool part_put(const struct plan_part *part, const struct instance *instance, struct solution *plan);

#endif
