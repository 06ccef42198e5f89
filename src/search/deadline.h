// The end of a search, passed down as a value. Tests can replace its clock.
#ifndef SEARCH_DEADLINE_H
#define SEARCH_DEADLINE_H

#include <stdbool.h>

struct deadline {
    double at;                   // time on the clock when everything must end; INFINITY: never
    double last;                 // time when even first solutions are abandoned
    double (*clock)(void *user); // seconds; NULL: the program's clock
    void *user;
};

struct deadline deadline_never(void);
// SECONDS after START on the program's clock. First solutions may take a tenth longer, or half a second.
struct deadline deadline_after(double start, double seconds);
// Returns a deadline after this share of the remaining time.
struct deadline deadline_share(const struct deadline *deadline, double share);

double deadline_now(const struct deadline *deadline);
double deadline_left(const struct deadline *deadline); // seconds
bool deadline_exists(const struct deadline *deadline);

#endif
