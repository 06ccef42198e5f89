#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/interrupt.h"
#include "cli/outputs.h"
#include "cli/pairs.h"
#include "cli/progress.h"
#include "cli/solutions.h"
#include "util/clock.h"
#include "util/error.h"

static struct mdam_improve_options options = { sizeof options };

static const struct flag flags[] = {
    SOLUTIONS_FLAGS,
    FLAGS_OF_OPTIONS(MDAM_OPTIONS_IMPROVE, &options),
    FLAGS_READING,
    { NULL },
};

static bool stop(void *user)
{
    (void)user;
    return interrupt_seen();
}

static bool spares_files(const struct arguments *arguments, size_t count)
{
    struct outputs outputs;
    outputs_begin(&outputs, "improve");
    for (size_t i = 0; i < 2; i++)
        outputs_protect(&outputs, arguments->operands[i], i ? "solutions" : "instances");
    bool ok = solutions_add_outputs(&outputs, count);
    outputs_finish(&outputs);
    return ok;
}

// Uses the file's metric if it has one.
static double value_of(const struct mdam_solution *solution)
{
    return solution->has_rounded ? solution->rounded : solution->objective;
}

// Prints the gain on stderr.
static void tell(const struct mdam_solutions *before, const struct mdam_solutions *after)
{
    const size_t count = mdam_solutions_count(after);
    size_t better = 0;
    double mean = 0;
    for (size_t i = 0; i < count; i++) {
        double old = value_of(mdam_solution(before, i)), now = value_of(mdam_solution(after, i));
        better += old != now;
        mean += old != 0 ? 100 * fabs(now - old) / fabs(old) / (double)count : 0;
    }
    if (count == 1)
        progress_note("%.9g -> %.9g (%.2f %% better)", value_of(mdam_solution(before, 0)),
            value_of(mdam_solution(after, 0)), mean);
    else
        progress_note("%zu of %zu solutions improved; mean gain %.2f %%", better, count, mean);
}

static bool run(const struct arguments *arguments, int *status)
{
    struct pairs pairs;
    struct mdam_solutions *improved = NULL;
    bool ok = pairs_read(&pairs, arguments);
    const size_t count = mdam_instances_count(pairs.instances);
    ok = ok && solutions_check("improve", pairs.instances) && spares_files(arguments, count);
    if (ok && options.time_limit > 0) // includes the time for reading
        options.time_limit = fmax(1e-3, options.time_limit - (clock_seconds() - common.started));
    interrupt_watch();
    options.stop = stop;
    ok = ok && mdam_improve(&improved, pairs.solutions, &options);
    if (ok && interrupt_seen())
        *status = STATUS_INTERRUPTED;
    if (ok)
        tell(pairs.solutions, improved);
    ok = ok && solutions_write(improved);
    mdam_solutions_free(&improved);
    pairs_finish(&pairs);
    return ok;
}

const struct command command_improve = {
    "improve",
    "improve solutions of any origin, without a device",
    .operands = "INSTANCE SOLUTION",
    .min_operands = 2,
    .max_operands = 2,
    .flags = { flags, host_flags },
    .run = run,
};
