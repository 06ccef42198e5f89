// Decides when a search ends.
#ifndef IMPROVE_WATCH_H
#define IMPROVE_WATCH_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>

struct watch {
    double (*clock)(void *user);
    void *user;
    double deadline;           // on that clock; INFINITY: none
    const atomic_bool *cancel; // NULL: never
};

static inline bool watch_ended(const struct watch *watch)
{
    if (watch->cancel && atomic_load_explicit(watch->cancel, memory_order_relaxed))
        return true;
    return watch->deadline < (double)INFINITY && watch->clock(watch->user) >= watch->deadline;
}

#endif
