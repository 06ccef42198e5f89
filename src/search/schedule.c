// Searches until a deadline: a greedy pass first, so that every instance has a solution, then wider and wider beams,
// and single other views in the remaining time. The duration of the next pass is extrapolated from earlier ones: a
// constant part, and one proportional to the hypotheses.
#include <stdint.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "search/augment.h"
#include "search/pass.h"
#include "util/error.h"

// The first beam is narrow, to measure time. Width grows by a factor of two or, if the time is too short, by at least a
// quarter. Some time is reserved, less of it at the end, where a pass may be cut.
enum { PROBE = 4 };
static const double growth = 2, min_growth = 1.25, in_hand = 0.1, in_hand_at_end = 0.03;

struct schedule {
    struct search *search;
    double units, seconds;             // of the last pass: hypotheses in all views, device time
    double probe_units, probe_seconds; // of the narrow one
    double per_unit;                   // seconds per additional hypothesis in one view
    double overhead;                   // constant seconds of a pass
};

// Wider passes are optional: if one fails on a device that still works, earlier results are the solutions.
static bool bear(struct search *s)
{
    if (error_fault() != FAULT_DEVICE || gpu_is_lost(s->model->gpu))
        return false;
    if (s->options.ended)
        s->options.ended(s->options.user, error_text());
    s->stopped = true;
    return true;
}

// Runs the planned pass.
static bool pass(struct schedule *schedule, double units, bool urgent)
{
    struct search *s = schedule->search;
    double start = deadline_now(&s->deadline), before = schedule->seconds;
    bool ok = search_pass(s, urgent) || (!urgent && bear(s));
    double more = units - schedule->units, mean = s->seconds / units;
    schedule->per_unit = before > 0 && more > 0 ? (s->seconds - before) / more : mean;
    // A disturbed measurement must not give an unrealistic estimate.
    schedule->per_unit = schedule->per_unit > mean       ? mean
                         : schedule->per_unit < mean / 4 ? mean / 4
                                                         : schedule->per_unit;
    schedule->units = units;
    schedule->seconds = s->seconds;
    schedule->overhead = deadline_now(&s->deadline) - start - s->seconds;
    return ok;
}

// Plans the pass unless it needs more memory than available.
static bool plan(struct search *s, const struct decoding *decoding)
{
    search_plan(s, decoding);
    return !plan_too_large(&s->plan, s->room) && arrlenu(s->plan.batches);
}

// Widens the beam to W in AUGMENT views, or as far as the time allows, at least MIN_WIDTH, and plans it; false: no time
// or no memory.
static bool widen(
    const struct schedule *schedule, struct decoding *decoding, double W, uint32_t augment, double min_width)
{
    double left = (1 - in_hand) * deadline_left(&schedule->search->deadline) - schedule->overhead;
    double max_width = (schedule->units + (left - schedule->seconds) / schedule->per_unit) / augment;
    W = W < max_width ? W : max_width;
    if (!(W >= min_width) || W > UINT16_MAX)
        return false;
    struct decoding next = *decoding;
    next.width = (uint32_t)W;
    next.augment = augment;
    if (!plan(schedule->search, &next))
        return false;
    *decoding = next;
    return true;
}

// All views, or wider in the same views; if that takes too long, one view alone in a still wider beam.
static bool next(const struct schedule *schedule, struct decoding *decoding)
{
    const double W = decoding->width;
    return (decoding->augment == 1 && widen(schedule, decoding, W, SYMMETRIES, W)) ||
           widen(schedule, decoding, growth * W, decoding->augment, min_growth * W) ||
           (decoding->augment > 1 && widen(schedule, decoding, SYMMETRIES * W, 1, growth * W));
}

// Runs beams in one view each, as wide as the remaining time allows.
static bool fill(const struct schedule *schedule, const struct decoding *last)
{
    struct search *s = schedule->search;
    const double slope = (schedule->seconds - schedule->probe_seconds) / (schedule->units - schedule->probe_units);
    bool ok = true;
    for (uint32_t view = 1; ok && !s->stopped; view++) {
        double left = (1 - in_hand_at_end) * deadline_left(&s->deadline) - schedule->overhead - schedule->probe_seconds;
        double W = left < 0 ? 0 : slope > 0 ? PROBE + left / slope : last->width;
        struct decoding decoding = *last;
        decoding.width = W < last->width ? (uint32_t)W : last->width;
        decoding.augment = 1;
        decoding.view = view % SYMMETRIES;
        decoding.expand = last->expand + view / SYMMETRIES; // the same views with more candidates find other solutions
        if (decoding.width < PROBE || view > 8 * SYMMETRIES || !plan(s, &decoding))
            break;
        ok = search_pass(s, false) || bear(s);
    }
    return ok;
}

// Instances whose beam is exhaustive are solved at once and skipped in all later passes.
static bool settle(struct search *s, struct decoding decoding)
{
    bool some = false;
    decoding.augment = 1;
    for (size_t i = 0; i < s->count; i++) {
        struct decoding chosen = decoding;
        s->settled[i] = !strategy_of(decoding.decode)->options(&chosen, s->instances[i].n);
        some = some || !s->settled[i];
    }
    bool ok = true;
    if (some) {
        search_plan(s, &decoding);
        ok = search_pass(s, false) || bear(s);
    }
    for (size_t i = 0; i < s->count; i++)
        s->settled[i] = !s->settled[i];
    return ok;
}

bool search_until_deadline(struct search *s)
{
    struct schedule schedule = { .search = s };
    struct decoding decoding = s->options.decoding;
    bool ok = pass(&schedule, 1, true);
    if (ok && !s->stopped && deadline_left(&s->deadline) > 0)
        ok = settle(s, decoding);
    strategy_of(decoding.decode)->options(&decoding, UINT32_MAX);
    const double asked = decoding.width;
    decoding.width = PROBE;
    decoding.augment = 1;
    search_plan(s, &decoding);
    if (!ok || s->stopped || deadline_left(&s->deadline) <= 0 || !arrlenu(s->plan.batches))
        return ok;
    ok = pass(&schedule, PROBE, false);
    schedule.probe_units = schedule.units;
    schedule.probe_seconds = schedule.seconds;
    struct decoding last = decoding;
    bool more =
        ok && widen(&schedule, &decoding, asked < growth * PROBE ? growth * PROBE : asked, 1, min_growth * PROBE);
    while (ok && more && !s->stopped) {
        ok = pass(&schedule, (double)decoding.width * decoding.augment, false);
        last = decoding;
        more = ok && !s->stopped && next(&schedule, &decoding);
    }
    return ok && fill(&schedule, &last);
}
