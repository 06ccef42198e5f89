// One chain of a long search: a current solution, the best one so far, and its own random numbers.
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
    struct ruin ruin; // for all tasks except one plain tour:
    bool is_tour;
    struct tour tour;
    struct record best;
    double unit;         // of temperature: the objective per visited customer
    uint64_t iterations; // done
    uint32_t start;      // index of the start that it descends from
};

void chain_init(
    struct chain *chain, const struct task *task, const struct watch *watch, uint64_t seed, uint32_t number);
void chain_finish(struct chain *chain);

// Restarts from the record.
void chain_begin(struct chain *chain, const struct record *record, uint32_t start);

// Runs iterations at a temperature in units of the objective per customer; ends early if the watch says so.
void chain_run(struct chain *chain, uint32_t iterations, double heat);

// Improves RECORD by local search; overwrites the chain's solution, so chain_begin comes next.
void chain_polish(struct chain *chain, struct record *record);

#endif
