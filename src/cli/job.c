#include "cli/job.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "cli/common.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/file.h"
#include "util/text.h"

bool job_read(struct job *job, const char *path, size_t most)
{
    size_t before = mdam_instances_count(job->instances);
    if (!mdam_instances_read(&job->instances, path, most))
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
    for (ptrdiff_t i = 0; i < shlen(job->seen); i++)
        free(job->seen[i].value.warning);
    shfree(job->seen);
}

// "orders.json: instance 3" for instance INDEX of the list, to be freed.
static char *place_of(const struct job *job, size_t index)
{
    const struct source *source = job->sources;
    while (index >= source->count)
        index -= (source++)->count;
    return source->count > 1 ? xformat("%s: instance %zu", file_shown(source->path), index + 1)
                             : xstrdup(file_shown(source->path));
}

bool job_suits(const struct job *job, const struct mdam_model *model)
{
    const struct mdam_model_info *info = mdam_model_info(model);
    for (size_t i = 0; i < mdam_instances_count(job->instances); i++) {
        const char *problem = mdam_instance_problem(job->instances, i);
        if (!strcmp(problem, info->problem))
            continue;
        char *place = place_of(job, i);
        fail(FAULT_INPUT, "%s: %s is a model for %s, not for %s", place, info->name, info->problem, problem);
        free(place);
        return false;
    }
    return true;
}

// A warning without its numbers and without the name of the first customer it is about, to be freed.
static char *kind_of(const char *warning)
{
    static const char name[] = ", first ";
    const char *end = strstr(warning, name);
    struct text kind = { 0 };
    for (const char *c = warning; *c && c != end; c++) {
        if (!isdigit((unsigned char)*c) && *c != '.')
            text_add(&kind, "%c", *c);
    }
    return kind.data ? kind.data : xstrdup("");
}

static void collect(void *user, size_t instance, const char *warning)
{
    struct job *job = user;
    char *kind = kind_of(warning);
    struct seen *seen = shgetp_null(job->seen, kind);
    if (seen)
        seen->value.count++;
    else
        shput(job->seen, kind, ((struct repeated){ xstrdup(warning), instance, 1 }));
    free(kind);
}

static void show_warnings(const struct job *job)
{
    for (ptrdiff_t i = 0; i < shlen(job->seen); i++) {
        const struct repeated *repeated = &job->seen[i].value;
        struct text text = { 0 };
        text_add(&text, "%s", repeated->warning);
        if (repeated->count > 1)
            text_add(&text, " (and %zu more like it)", repeated->count - 1);
        char *place = place_of(job, repeated->first);
        warn(place, text.data);
        free(place);
        text_finish(&text);
    }
}

static bool report(void *user, size_t done, size_t count)
{
    struct job *job = user;
    if (!job->warned) // nothing may be done for several reports: views of one instance in several batches
        show_warnings(job);
    job->warned = true;
    if (count > 1 && done < count && progress_due())
        progress_show("solved %zu of %zu", done, count);
    return !interrupt_seen();
}

static bool stop(void *user)
{
    (void)user;
    return interrupt_seen();
}

static void improved(void *user, size_t instance, double objective)
{
    char *place = place_of(user, instance);
    progress_note("%.2f s: %s: %.9g", clock_seconds() - common.started, place, objective);
    free(place);
}

// What the program did before counts, too, and so does writing the answer down.
static double time_left(double limit)
{
    double left = limit - (clock_seconds() - common.started) - 0.02 * limit;
    return left > 1e-3 ? left : 1e-3;
}

void job_watch(struct job *job, struct mdam_solve_options *options)
{
    if (options->time_limit > 0)
        options->time_limit = time_left(options->time_limit);
    options->stop = stop;
    options->improved = improved;
    sh_new_strdup(job->seen);
    options->progress = report;
    options->warn = collect;
    options->user = job;
    interrupt_watch();
}

void job_watched(int *status)
{
    progress_clear();
    if (interrupt_seen())
        *status = STATUS_INTERRUPTED;
}
