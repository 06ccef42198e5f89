// One closed tour through all sites, of any size: exchanges of two and three edges between neighbours, and local kicks
// that are undone unless they help. Distances are symmetric.
#ifndef IMPROVE_TOUR_H
#define IMPROVE_TOUR_H

#include "improve/dice.h"
#include "improve/task.h"
#include "improve/watch.h"

struct tour {
    const struct task *task;
    uint32_t n;
    uint32_t *order, *rank; // site by rank, rank by site
    double length;
    uint32_t near;
    uint32_t *queue; // sites to process
    uint32_t head, waiting;
    bool *queued;
    bool recording;
    struct flip {
        uint32_t first, last;
    } * journal; // stb_ds array
};

void tour_init(struct tour *tour, const struct task *task);
void tour_finish(struct tour *tour);
void tour_set(struct tour *tour, const uint32_t *order); // (n)

// Searches until no exchange improves the tour, or WATCH (may be NULL) ends it.
void tour_search(struct tour *tour, const struct watch *watch);

// Makes a random local kick and searches; undoes both if the tour becomes longer by more than ALLOWANCE.
void tour_kick(struct tour *tour, struct dice *dice, double allowance);

#endif
