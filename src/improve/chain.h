// One chain of a long search: a plan that changes, the best it has been, and random numbers of its own.
#ifndef IMPROVE_CHAIN_H
#define IMPROVE_CHAIN_H

#include "improve/local.h"
#include "improve/ruin.h"
#include "improve/tour.h"

struct chain {
    const struct task *task;
    const struct watch *watch;
    struct dice dice;
    struct state state;
    struct local local;
    struct ruin ruin; // all tasks but those of one plain tour:
    bool is_tour;
    struct tour tour;
    struct record best;
    double unit;         // of temperature: a customer's share in the objective
    uint64_t iterations; // done
    uint32_t start;      // that it descends from
};

void chain_init(
    struct chain *chain, const struct task *task, const struct watch *watch, uint64_t seed, uint32_t number);
void chain_finish(struct chain *chain);

// Begins again with that plan.
void chain_begin(struct chain *chain, const struct record *record, uint32_t start);

// Iterations at a temperature in units of the objective's share of a customer; ends early when the watch says so.
void chain_run(struct chain *chain, uint32_t iterations, double heat);

// Local search of a plan, in the place of the chain's own: chain_begin comes next.
void chain_polish(struct chain *chain, struct record *record);

#endif
