#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/device.h"
#include "cli/interrupt.h"
#include "cli/job.h"
#include "cli/progress.h"
#include "cli/solutions.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/ranks.h"

static const char *model_path;

static const struct flag flags[] = {
    { "-m", "--model", FLAG_TEXT, &model_path, "MODEL", "model file (default: the bundled model of the problem)" },
    SOLUTIONS_FLAGS,
    FLAG_MPI,
    FLAGS_READING,
    { NULL },
};

struct run {
    struct job job;
    struct found {
        const char *problem; // NULL: the model given by -m
        char *path;
    } * found;                  // stb_ds array
    struct mdam_model **models; // stb_ds array, parallel to found
    struct mdam_solutions *solutions;
};

static void finish(struct run *run)
{
    mdam_solutions_free(&run->solutions);
    for (size_t i = 0; i < arrlenu(run->models); i++)
        mdam_model_free(&run->models[i]);
    arrfree(run->models);
    for (size_t i = 0; i < arrlenu(run->found); i++)
        mdam_text_free(&run->found[i].path);
    arrfree(run->found);
    job_finish(&run->job);
}

static bool read_instances(struct job *job, const struct arguments *arguments)
{
    size_t inputs = 0, count = arrlenu(arguments->operands);
    for (size_t i = 0; i < count; i++)
        inputs += !strcmp(arguments->operands[i], "-");
    if (inputs > 1)
        return fail(FAULT_INPUT, "solve: standard input is named twice");
    for (size_t i = 0; i < count; i++) {
        if (!job_read(job, arguments->operands[i], SIZE_MAX, model_path))
            return false;
    }
    return true;
}

static bool is_found(const struct run *run, const char *problem)
{
    for (size_t i = 0; i < arrlenu(run->found); i++) {
        if (!strcmp(run->found[i].problem, problem))
            return true;
    }
    return false;
}

// Finds the model of -m, which must fit every instance, or a bundled model for each problem.
static bool find_models(struct run *run)
{
    if (model_path)
        arrput(run->found, ((struct found){ NULL, xstrdup(model_path) }));
    for (size_t i = 0; !model_path && i < mdam_instances_count(run->job.instances); i++) {
        struct found found = { mdam_instance_problem(run->job.instances, i), NULL };
        if (is_found(run, found.problem))
            continue;
        if (!mdam_model_find(&found.path, found.problem))
            return fail_within("solve: without -m");
        arrput(run->found, found);
    }
    return true;
}

static bool spares_files(const struct run *run)
{
    struct outputs outputs;
    outputs_begin(&outputs, "solve");
    for (size_t i = 0; i < arrlenu(run->job.sources); i++)
        outputs_protect(&outputs, run->job.sources[i].path, "instances");
    for (size_t i = 0; i < arrlenu(run->found); i++)
        outputs_protect(&outputs, run->found[i].path, "the model");
    bool ok = solutions_add_outputs(&outputs, mdam_instances_count(run->job.instances)) && device_add_profile(&outputs);
    outputs_finish(&outputs);
    return ok;
}

static bool load_models(struct run *run)
{
    for (size_t i = 0; i < arrlenu(run->found); i++) {
        struct mdam_model *model;
        if (!decoding_load(&model, run->job.device, run->found[i].path))
            return false;
        arrput(run->models, model);
    }
    return true;
}

static size_t solved(const struct mdam_solutions *solutions)
{
    size_t count = 0;
    for (size_t i = 0; i < mdam_solutions_count(solutions); i++)
        count += mdam_solution(solutions, i)->solved;
    return count;
}

static bool answered(void *user, const struct mdam_solutions *solutions, size_t instance)
{
    (void)user;
    return solutions_write_next(solutions, instance);
}

static bool solve(struct run *run, struct mdam_solve_options *how, int *status)
{
    job_watch(&run->job, how);
    how->answered = answered;
    bool ok = mdam_solve(&run->solutions, run->job.instances, run->models, arrlenu(run->models), how);
    const size_t answers = run->solutions ? solved(run->solutions) : 0;
    job_watched(&run->job, answers, status);
    if (ok && !answers && !interrupt_seen() && ranks_rank() == 0)
        return fail(FAULT_INPUT, "solve: --time-limit: %g s were too short for a first solution", run->job.limit);
    return ok;
}

// After a failure, writes the instances solved so far. The recorded message stays that of the failure.
static bool save_what_is_there(const struct run *run)
{
    if (!run->solutions || ranks_rank() > 0)
        return false;
    if (solutions_failed()) // to be written
        return solutions_write(run->solutions);
    enum fault fault = error_fault();
    char *sentence = xstrdup(error_text());
    if (solutions_write(run->solutions))
        progress_note("stopped: solved %zu of %zu", solved(run->solutions), mdam_solutions_count(run->solutions));
    else
        warn("solve", error_text());
    fail(fault, "%s", sentence);
    free(sentence);
    return false;
}

static bool run_solve(const struct arguments *arguments, int *status)
{
    struct run run = { 0 };
    struct mdam_solve_options how;
    bool ok = ranks_join() && decoding_options(arguments, &how) && read_instances(&run.job, arguments) &&
              find_models(&run) && solutions_check("solve", run.job.instances) && spares_files(&run) &&
              (!model_path || job_check_model(&run.job, model_path)) && device_open(&run.job.device) &&
              load_models(&run);
    ok = ranks_all(ok) && (solve(&run, &how, status) || save_what_is_there(&run)) &&
         (ranks_rank() > 0 || (solutions_write(run.solutions) && device_done(run.job.device)));
    finish(&run);
    return ok;
}

const struct command command_solve = {
    "solve",
    "solve instances with a trained model",
    .operands = "FILE|- ...",
    .min_operands = 1,
    .max_operands = 100000,
    .flags = { flags, decoding_flags, common_flags },
    .run = run_solve,
};
