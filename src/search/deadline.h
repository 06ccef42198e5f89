// When a search ends, as a value that is handed down. Its clock can be another one than the program's.
#ifndef SEARCH_DEADLINE_H
#define SEARCH_DEADLINE_H

#include <stdbool.h>

struct deadline {
    double at;                   // by the clock: when everything is to be over; INFINITY: never
    double last;                 // when even first answers are given up
    double (*clock)(void *user); // seconds; NULL: the program's clock
    void *user;
};

struct deadline deadline_never(void);
// SECONDS after START, by the program's clock. A first answer is worth waiting for a tenth longer, or half a second.
struct deadline deadline_after(double start, double seconds);
// This share of the time that is left.
struct deadline deadline_share(const struct deadline *deadline, double share);

double deadline_now(const struct deadline *deadline);
double deadline_left(const struct deadline *deadline); // seconds
bool deadline_exists(const struct deadline *deadline);

#endif
