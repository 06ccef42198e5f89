// Searching until a deadline: a greedy pass first, so that there is an answer, then wider and wider beams. How long the
// next one takes is told from the last two: a part that does not grow, and one that grows with the hypotheses.
#include "search/augment.h"
#include "search/pass.h"
#include "util/clock.h"
#include "util/error.h"

// The first beam is narrow, to tell the time of others by; growth is by a factor of two, or if there is no time for
// that, by a quarter at least; and some time is kept in hand.
enum { PROBE = 4 };
static const double growth = 2, least_growth = 1.25, in_hand = 0.1;

struct schedule {
    struct search *search;
    double units, seconds; // of the last pass: hypotheses in all views, time that devices took
    double each;           // seconds for one more hypothesis in one view
    double overhead;       // seconds of a pass besides
};

// A wider pass is welcome, not needed: where it fails on a device that still works, what was found before is the
// answer.
static bool bear(struct search *s)
{
    if (error_fault() != FAULT_DEVICE || gpu_is_lost(s->model->gpu))
        return false;
    if (s->options->ended)
        s->options->ended(s->options->user, error_text());
    s->stopped = true;
    return true;
}

static bool pass(struct schedule *schedule, const struct way *way, bool urgent)
{
    struct search *s = schedule->search;
    double start = clock_seconds(), units = (double)way->width * way->augment, before = schedule->seconds;
    bool ok = search_pass(s, way, urgent) || (!urgent && bear(s));
    double more = units - schedule->units, most = s->seconds / units;
    schedule->each = before > 0 && more > 0 ? (s->seconds - before) / more : most;
    // A disturbed measurement must not promise the moon.
    schedule->each = schedule->each > most ? most : schedule->each < most / 4 ? most / 4 : schedule->each;
    schedule->units = units;
    schedule->seconds = s->seconds;
    schedule->overhead = clock_seconds() - start - s->seconds;
    return ok;
}

// Widens WAY to W in AUGMENT views, or to as much as there is time for, at least LEAST; false: there is none, or no
// memory.
static bool widen(const struct schedule *schedule, struct way *way, double W, uint32_t augment, double least)
{
    double left = (1 - in_hand) * (schedule->search->options->deadline - clock_seconds()) - schedule->overhead;
    double most = (schedule->units + (left - schedule->seconds) / schedule->each) / augment;
    W = W < most ? W : most;
    if (!(W >= least) || W > UINT16_MAX)
        return false;
    struct way next = *way;
    next.width = (uint32_t)W;
    next.augment = augment;
    if (!search_fits(schedule->search, &next))
        return false;
    *way = next;
    return true;
}

// In all views, or wider in as many; or if that takes too long, one view alone in a beam that is wider still.
static bool next(const struct schedule *schedule, struct way *way)
{
    const double W = way->width;
    return (way->augment == 1 && widen(schedule, way, W, SYMMETRIES, W)) ||
           widen(schedule, way, growth * W, way->augment, least_growth * W) ||
           (way->augment > 1 && widen(schedule, way, SYMMETRIES * W, 1, growth * W));
}

bool search_until_deadline(struct search *s)
{
    struct schedule schedule = { .search = s };
    struct way way = s->options->way, greedy = { .decode = DECODE_GREEDY, .width = 1, .augment = 1 };
    const double wanted = way.width;
    bool ok = pass(&schedule, &greedy, true);
    if (!ok || s->stopped || clock_seconds() > s->options->deadline)
        return ok;
    way.width = PROBE;
    way.augment = 1;
    ok = pass(&schedule, &way, false);
    bool more =
        ok && widen(&schedule, &way, wanted < growth * PROBE ? growth * PROBE : wanted, 1, least_growth * PROBE);
    while (ok && more && !s->stopped) {
        ok = pass(&schedule, &way, false);
        more = next(&schedule, &way);
    }
    return ok;
}
