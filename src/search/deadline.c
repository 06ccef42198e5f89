#include "search/deadline.h"

#include <math.h>
#include <stddef.h>

#include "util/clock.h"

struct deadline deadline_never(void)
{
    return (struct deadline){ .at = INFINITY, .last = INFINITY };
}

struct deadline deadline_after(double start, double seconds)
{
    return (struct deadline){ .at = start + seconds, .last = start + fmax(1.1 * seconds, seconds + 0.5) };
}

struct deadline deadline_share(const struct deadline *d, double share)
{
    struct deadline part = *d;
    if (deadline_exists(d)) {
        part.at = deadline_now(d) + share * deadline_left(d);
        part.last = part.at + (d->last - d->at);
    }
    return part;
}

double deadline_now(const struct deadline *d)
{
    return d->clock ? d->clock(d->user) : clock_seconds();
}

double deadline_left(const struct deadline *d)
{
    return d->at - deadline_now(d);
}

bool deadline_exists(const struct deadline *d)
{
    return isfinite(d->at);
}
