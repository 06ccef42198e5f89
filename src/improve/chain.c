#include "improve/chain.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "util/alloc.h"

enum { TOUR_SITES = 8 }; // smaller tours have no double bridge

void chain_init(struct chain *chain, const struct task *task, const struct watch *watch, uint64_t seed, uint32_t number)
{
    *chain = (struct chain){ .task = task, .watch = watch, .dice = dice_make(seed, number) };
    chain->best.cost = INFINITY;
    chain->is_tour = task->symmetric && task->routes == 1 && !task->penalty && !task->load &&
                     !(task->limit < INFINITY) && task->customers + 1 >= TOUR_SITES;
    if (chain->is_tour) {
        tour_init(&chain->tour, task);
        return;
    }
    state_init(&chain->state, task);
    local_init(&chain->local, &chain->state, watch, NULL);
    ruin_init(&chain->ruin, &chain->state, &chain->dice);
}

void chain_finish(struct chain *chain)
{
    if (chain->is_tour) {
        tour_finish(&chain->tour);
    } else {
        local_finish(&chain->local);
        ruin_finish(&chain->ruin);
        state_finish(&chain->state);
    }
    record_finish(&chain->best);
}

static void tour_load(struct tour *tour, const struct record *record)
{
    uint32_t *order = xcalloc(tour->n, sizeof *order);
    for (uint32_t i = 1; i < tour->n; i++)
        order[i] = record->sites[i - 1];
    tour_set(tour, order);
    free(order);
}

static void tour_save(const struct tour *tour, struct record *record)
{
    record->cost = tour->length;
    arrsetlen(record->sites, tour->n);
    for (uint32_t i = 0; i < tour->n; i++)
        record->sites[i] = tour->order[(tour->rank[0] + 1 + i) % tour->n];
}

void chain_begin(struct chain *chain, const struct record *record, uint32_t start)
{
    chain->start = start;
    if (record->cost < chain->best.cost)
        record_copy(&chain->best, record);
    if (chain->is_tour) {
        tour_load(&chain->tour, record);
        chain->unit = chain->tour.length / chain->tour.n;
    } else {
        state_load(&chain->state, record);
        chain->unit = state_guided_cost(&chain->state) / (chain->task->customers - chain->state.absent + 1.0);
    }
}

void chain_run(struct chain *chain, uint32_t iterations, double heat)
{
    double temperature = heat * chain->unit;
    if (!chain->is_tour)
        state_recount(&chain->state);
    for (uint32_t i = 0; i < iterations; i++, chain->iterations++) {
        if (i % 8 == 0 && watch_ended(chain->watch))
            break;
        if (chain->is_tour)
            tour_kick(&chain->tour, &chain->dice, -temperature * log(dice_unit(&chain->dice)));
        else
            ruin_iterate(&chain->ruin, temperature, &chain->best);
    }
    if (chain->is_tour && chain->tour.length < chain->best.cost)
        tour_save(&chain->tour, &chain->best);
}

void chain_polish(struct chain *chain, struct record *record)
{
    if (chain->is_tour) {
        tour_load(&chain->tour, record);
        tour_search(&chain->tour, chain->watch);
        tour_save(&chain->tour, record);
        return;
    }
    state_load(&chain->state, record);
    local_search(&chain->local);
    state_save(&chain->state, record);
}
