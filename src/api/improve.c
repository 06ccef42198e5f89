// Improves solutions of any origin on the host.
#include <math.h>
#include <stdlib.h>

#include "api/internal.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/locale.h"
#include "util/option.h"

static bool check_plans(const struct mdam_solutions *given)
{
    for (size_t i = 0; i < given->count; i++) {
        const struct search_result *result = &given->results[i];
        if (!result->verdict.feasible)
            return fail(FAULT_INPUT, "instance %zu: the solution is infeasible: %s", i + 1, result->verdict.violation);
    }
    return true;
}

struct watch {
    const struct mdam_improve_options *options;
};

static bool stop(void *user)
{
    IN_CALLERS_LOCALE;
    const struct mdam_improve_options *options = ((const struct watch *)user)->options;
    return options->stop && options->stop(options->user);
}

bool mdam_improve(
    struct mdam_solutions **out, const struct mdam_solutions *given, const struct mdam_improve_options *options)
{
    IN_PLAIN_LOCALE;
    *out = NULL;
    const double start = clock_seconds();
    const struct mdam_option *table = mdam_options(MDAM_OPTIONS_IMPROVE);
    struct mdam_improve_options o = { 0 };
    if (!mdam_options_copy(&o, options) || !options_check(table, &o) || !check_plans(given))
        return false;
    options_fill(table, &o);
    struct mdam_solutions *s = *out = mdam_solutions_create(given->instances);
    struct watch watch = { &o };
    const struct solution **initial = xcalloc(s->count, sizeof *initial);
    for (size_t i = 0; i < s->count; i++)
        initial[i] = &given->results[i].solution;
    const bool full = o.time_limit > 0 || o.iterations;
    const struct search_options how = { .seed = o.seed,
        .improve = full ? MDAM_IMPROVE_FULL : MDAM_IMPROVE_LOCAL,
        .iterations = o.iterations,
        .initial = initial,
        .stop = stop,
        .user = &watch };
    const struct deadline deadline = o.time_limit > 0 ? deadline_after(start, o.time_limit) : deadline_never();
    search_improve(given->instances->list, s->count, &how, &deadline, s->results);
    free(initial);
    for (size_t i = 0; i < s->count; i++) {
        mdam_solution_show(s, i);
        s->list[i].seconds = (clock_seconds() - start) / (double)s->count;
    }
    return true;
}
