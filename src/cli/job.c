#include "cli/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/ranks.h"
#include "util/text.h"

bool job_read(struct job *job, const char *path, size_t max_count, const char *model)
{
    size_t before = mdam_instances_count(job->instances);
    if (ranks_count() > 1 && !strcmp(path, "-"))
        return fail(FAULT_INPUT, "standard input reaches one of %u ranks only; give a file", ranks_count());
    struct mdam_model_info *info = NULL;
    if (model) // one that cannot be read is refused later
        mdam_model_read(&info, model, NULL);
    struct mdam_read_options options = common.reading;
    if (info && !options.problem)
        options.problem = info->problem;
    bool ok = mdam_instances_read_with(&job->instances, path, max_count, &options);
    mdam_model_info_free(&info);
    if (!ok || !problem_fits(job->instances, before))
        return false;
    struct source source = { path, mdam_instances_count(job->instances) - before };
    arrput(job->sources, source);
    return true;
}

void job_finish(struct job *job)
{
    mdam_device_close(&job->device);
    mdam_instances_free(&job->instances);
    arrfree(job->sources);
    warnings_finish(&job->warnings);
}

// Returns "orders.json: instance 3" for instance INDEX of the list; the caller frees it.
static char *location_of(const void *user, size_t index)
{
    const struct job *job = user;
    const struct source *source = job->sources;
    while (index >= source->count)
        index -= (source++)->count;
    return position_in_file(source->path, index, source->count);
}

static bool suits(const struct job *job, const char *model, const char *for_problem)
{
    for (size_t i = 0; i < mdam_instances_count(job->instances); i++) {
        const char *problem = mdam_instance_problem(job->instances, i);
        if (!strcmp(problem, for_problem))
            continue;
        char *location = location_of(job, i);
        fail(FAULT_INPUT, "%s: %s is a model for %s, not %s", location, model, for_problem, problem);
        free(location);
        return false;
    }
    return true;
}

bool job_check_model(const struct job *job, const char *path)
{
    struct mdam_model_info *info = NULL;
    bool ok = decoding_read(&info, path) && suits(job, info->name, info->problem);
    mdam_model_info_free(&info);
    return ok;
}

static void collect(void *user, size_t instance, const char *warning)
{
    struct job *job = user;
    warnings_add(&job->warnings, instance, warning);
}

// Shows progress; DECISIONS 0: unknown.
static void show_progress(struct job *job, uint32_t decisions, uint32_t max_decisions)
{
    struct text text = { 0 };
    if (job->count > 1)
        text_add(&text, "solved %zu of %zu%s", job->done, job->count, decisions ? "; " : "");
    if (decisions)
        text_add(&text, "decision %" PRIu32 " of at most %" PRIu32, decisions, max_decisions);
    progress_show("%s", text.data);
    job->shown = true;
    text_finish(&text);
}

// Shows the warnings since the last call.
static void show_warnings(struct job *job)
{
    warnings_show(&job->warnings, location_of, job);
    warnings_finish(&job->warnings);
}

static bool report(void *user, size_t done, size_t count)
{
    struct job *job = user;
    show_warnings(job);
    job->done = done;
    job->count = count;
    if (done == count)
        job->answered = clock_seconds() - common.started;
    // In plain text the start is a line of its own, even right after one about the device.
    const bool begins = done == 0 && common.progress == PROGRESS_PLAIN;
    if (count > 1 && (progress_due() || begins || (done == count && job->shown)))
        show_progress(job, 0, 0);
    return !interrupt_seen();
}

static void working(void *user, uint32_t decisions, uint32_t max_decisions)
{
    if (progress_due())
        show_progress(user, decisions, max_decisions);
}

static bool stop(void *user)
{
    (void)user;
    return interrupt_seen();
}

static void improved(void *user, size_t instance, double objective)
{
    const struct job *job = user;
    if (job->count > 1 && !progress_due())
        return;
    char *location = location_of(user, instance);
    progress_note("%.2f s: %s: %.9g", clock_seconds() - common.started, location, objective);
    free(location);
}

// The limit includes the program's start and writing the solutions.
static double time_left(double limit)
{
    double left = limit - (clock_seconds() - common.started) - 0.02 * limit;
    return left > 1e-3 ? left : 1e-3;
}

static void refused(void *user, size_t instance)
{
    struct job *job = user;
    job->refused = instance + 1;
}

void job_watch(struct job *job, struct mdam_solve_options *options)
{
    job->limit = options->time_limit;
    if (options->time_limit > 0)
        options->time_limit = time_left(options->time_limit);
    options->working = working;
    options->stop = stop;
    options->improved = improved;
    options->progress = report;
    options->warn = collect;
    options->refused = refused;
    options->user = job;
    interrupt_watch();
}

static void warn_if_late(const struct job *job)
{
    double seconds = clock_seconds() - common.started;
    if (!(job->limit > 0) || seconds < 1.1 * job->limit + 0.5)
        return;
    char *sentence = xformat("took %.1f s instead of %g%s", seconds, job->limit,
        job->answered > job->limit ? ": the first solutions alone take longer" : "");
    warn("--time-limit", sentence);
    free(sentence);
}

// Puts an instance's location in its file in front of the failure's message.
static void name_refused(const struct job *job)
{
    if (!job->refused)
        return;
    char *location = location_of(job, job->refused - 1), *sentence = xstrdup(error_text());
    const char *rest = strchr(sentence, ':'); // after "instance 3"
    fail(error_fault(), "%s%s", location, rest ? rest : "");
    free(location);
    free(sentence);
}

static void tell_unsolved(const struct job *job, size_t solved)
{
    size_t count = mdam_instances_count(job->instances);
    if (!(job->limit > 0) || !solved || solved == count)
        return;
    char *sentence =
        xformat("%g s were too short for a first solution of %zu of %zu instances; greedy decoding without a "
                "time limit solves all",
            job->limit, count - solved, count);
    warn("--time-limit", sentence);
    free(sentence);
}

void job_watched(struct job *job, size_t solved, int *status)
{
    progress_clear();
    show_warnings(job);
    name_refused(job);
    if (interrupt_seen()) {
        *status = STATUS_INTERRUPTED;
        progress_note("interrupted: solved %zu of %zu", solved, mdam_instances_count(job->instances));
    } else {
        tell_unsolved(job, solved);
        warn_if_late(job);
    }
}
