#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <stb/stb_ds.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/device.h"
#include "cli/interrupt.h"
#include "cli/job.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"

static struct {
    const char *model, *output, *plot;
    int format; // the first of enum mdam_format; -1: by the name of the output
} options = { .output = "-", .format = -1 };

static const struct flag flags[] = {
    { "-m", "--model", FLAG_TEXT, &options.model, "MODEL", "a model; without it those that ship, by problem" },
    { "-o", "--output", FLAG_TEXT, &options.output, "OUT", "where the solutions go; - is standard output" },
    { "--format", NULL, FLAG_CHOICE, &options.format, "json|sol|tour|text",
        "how they are written; without it by the ending .sol, .tour or .txt of the output, else as JSON" },
    { "--plot", NULL, FLAG_TEXT, &options.plot, "OUT.svg", "pictures; several get their number before .svg" },
    { NULL },
};

// The format that was asked for, or the one that the output's name promises.
static void choose_format(void)
{
    static const struct {
        const char *ending;
        enum mdam_format format;
    } known[] = { { ".sol", MDAM_FORMAT_SOL }, { ".tour", MDAM_FORMAT_TOUR }, { ".txt", MDAM_FORMAT_TEXT } };
    if (options.format >= 0)
        return;
    options.format = MDAM_FORMAT_JSON;
    const char *ending = strrchr(options.output, '.');
    for (size_t i = 0; ending && i < sizeof known / sizeof *known; i++) {
        if (!strcasecmp(ending, known[i].ending))
            options.format = known[i].format;
    }
}

struct run {
    struct job job;
    struct found {
        const char *problem; // NULL: the model that was named
        char *path;
    } * found;                  // stb_ds array
    struct mdam_model **models; // stb_ds array, of those found
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
        if (!job_read(job, arguments->operands[i], SIZE_MAX))
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

// The one that was named, which must do for every instance; or one for each problem there is.
static bool find_models(struct run *run)
{
    if (options.model)
        arrput(run->found, ((struct found){ NULL, xstrdup(options.model) }));
    for (size_t i = 0; !options.model && i < mdam_instances_count(run->job.instances); i++) {
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
        outputs_keep(&outputs, run->job.sources[i].path, "instances");
    for (size_t i = 0; i < arrlenu(run->found); i++)
        outputs_keep(&outputs, run->found[i].path, "the model");
    bool ok = outputs_take(&outputs, options.output, "-o") &&
              outputs_take_pictures(&outputs, options.plot, mdam_instances_count(run->job.instances), "--plot") &&
              device_take_profile(&outputs);
    outputs_finish(&outputs);
    return ok;
}

// What a file or standard output can hold, and that they can be written: solving may take hours.
static bool check_outputs(const struct run *run)
{
    size_t count = mdam_instances_count(run->job.instances);
    bool single = options.format == MDAM_FORMAT_SOL || options.format == MDAM_FORMAT_TOUR;
    if (single && count > 1)
        return fail(
            FAULT_INPUT, "solve: --format: such a file has one solution, not %zu; json and text have several", count);
    if (options.plot && !strcmp(options.plot, "-"))
        return fail(FAULT_INPUT, "solve: --plot: standard output carries the solutions");
    if (options.plot && !picture_name_fits(options.plot))
        return fail_within("solve: --plot");
    char *picture = options.plot ? picture_path(options.plot, 0, count) : NULL;
    bool ok = spares_files(run) && file_can_write(options.output) && (!picture || file_can_write(picture));
    free(picture);
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

static bool write_pictures(const struct mdam_solutions *solutions)
{
    size_t count = mdam_solutions_count(solutions);
    for (size_t i = 0; options.plot && i < count; i++) {
        if (!mdam_solution(solutions, i)->solved)
            continue;
        char *path = picture_path(options.plot, i, count), *svg = mdam_solution_text(solutions, i, MDAM_FORMAT_SVG);
        bool ok = file_write(path, svg, strlen(svg));
        mdam_text_free(&svg);
        free(path);
        if (!ok)
            return false;
    }
    return true;
}

static bool write_solutions(const struct mdam_solutions *solutions)
{
    struct file_out out;
    if (!file_out_open(&out, options.output))
        return false;
    bool ok = true, first = true;
    for (size_t i = 0; ok && i < mdam_solutions_count(solutions); i++) {
        if (!mdam_solution(solutions, i)->solved)
            continue;
        char *text = mdam_solution_text(solutions, i, (enum mdam_format)options.format);
        if (!first && options.format == MDAM_FORMAT_TEXT)
            ok = file_out_add(&out, "\n", 1);
        ok = ok && file_out_add(&out, text, strlen(text));
        mdam_text_free(&text);
        first = false;
    }
    ok = ok && file_out_close(&out);
    file_out_abandon(&out);
    return ok;
}

static size_t solved(const struct mdam_solutions *solutions)
{
    size_t count = 0;
    for (size_t i = 0; i < mdam_solutions_count(solutions); i++)
        count += mdam_solution(solutions, i)->solved;
    return count;
}

static bool solve(struct run *run, struct mdam_solve_options *how, int *status)
{
    job_watch(&run->job, how);
    bool ok = mdam_solve(&run->solutions, run->job.instances, run->models, arrlenu(run->models), how);
    const size_t answers = run->solutions ? solved(run->solutions) : 0;
    job_watched(&run->job, answers, status);
    if (ok && !answers && !interrupt_seen())
        return fail(FAULT_INPUT, "solve: --time-limit: %g s were not enough for a first answer", run->job.limit);
    return ok;
}

static bool write_all(const struct mdam_solutions *solutions)
{
    return write_solutions(solutions) && write_pictures(solutions);
}

// After a failure: what was solved before is written as if it were all. The sentence stays that of the failure.
static bool save_what_is_there(const struct run *run)
{
    if (!run->solutions)
        return false;
    enum fault fault = error_fault();
    char *sentence = xstrdup(error_text());
    if (write_all(run->solutions))
        progress_note("ended with %zu of %zu solved", solved(run->solutions), mdam_solutions_count(run->solutions));
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
    choose_format();
    bool ok = decoding_options(arguments, &how) && read_instances(&run.job, arguments) && find_models(&run) &&
              check_outputs(&run) && (!options.model || job_check_model(&run.job, options.model)) &&
              device_open(&run.job.device) && load_models(&run) &&
              (solve(&run, &how, status) || save_what_is_there(&run)) && write_all(run.solutions) &&
              device_done(run.job.device);
    finish(&run);
    return ok;
}

const struct command command_solve = {
    "solve",
    "find good solutions of instances with a trained model",
    .operands = "FILE|- ...",
    .min_operands = 1,
    .max_operands = 100000,
    .flags = { flags, decoding_flags, common_flags },
    .run = run_solve,
};
