// Searching until a deadline: a greedy pass first, so that there is an answer, then wider and wider beams. How long one
// takes is told from the one before: time grows no faster than the number of hypotheses.
#include "search/augment.h"
#include "search/pass.h"
#include "util/clock.h"

// Passes that would come to less than this much more than the one before are not worth their time.
static const double least_growth = 1.25, growth = 2, caution = 1.1;

struct schedule {
    struct search *search;
    double each;     // seconds for each hypothesis and symmetry
    double overhead; // seconds of a pass that do not grow
};

static bool pass(struct schedule *schedule, const struct way *way, bool urgent)
{
    struct search *s = schedule->search;
    double start = clock_seconds();
    bool ok = search_pass(s, way, urgent);
    schedule->overhead = clock_seconds() - start - s->seconds;
    schedule->each = s->seconds / ((double)way->width * way->augment);
    return ok;
}

// Beams of this augmentation that fit into the time left.
static double affordable(const struct schedule *schedule, uint32_t augment)
{
    double left = schedule->search->options->deadline - clock_seconds() - schedule->overhead;
    return left / (caution * schedule->each * augment);
}

// The next way after LAST: W wide, or as wide as time allows and not much less; false: there is none.
static bool widen(const struct schedule *schedule, struct way *way, double W, uint32_t augment, double least)
{
    double most = affordable(schedule, augment);
    W = W < most ? W : most;
    if (W < least || W < 2 || W > UINT16_MAX)
        return false;
    struct way next = *way;
    next.width = (uint32_t)W;
    next.augment = augment;
    if (!search_fits(schedule->search, &next))
        return false;
    *way = next;
    return true;
}

bool search_until_deadline(struct search *s)
{
    struct schedule schedule = { .search = s };
    struct way way = s->options->way, greedy = { .decode = DECODE_GREEDY, .width = 1, .augment = 1 };
    const double first = way.width;
    bool ok = pass(&schedule, &greedy, true);
    if (!ok || s->stopped || s->options->online)
        return ok;
    bool more = widen(&schedule, &way, first, 1, 2);
    while (ok && more && !s->stopped) {
        ok = pass(&schedule, &way, false);
        const double W = way.width;
        more = (way.augment == 1 && widen(&schedule, &way, W, SYMMETRIES, W)) ||
               widen(&schedule, &way, growth * W, way.augment, least_growth * W);
    }
    return ok;
}
