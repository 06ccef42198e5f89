#include <math.h>

#include <string.h>

#include <jansson.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/device.h"
#include "cli/job.h"
#include "cli/outputs.h"
#include "cli/reference.h"
#include "cli/report.h"
#include "util/error.h"
#include "util/file.h"
#include "util/json_text.h"
#include "util/ranks.h"
#include "util/text.h"

static struct {
    const char *model, *data, *per_instance, *reference;
    uint32_t limit;
} options;

static const struct flag flags[] = {
    { "-m", "--model", FLAG_TEXT, &options.model, "MODEL", "model to measure", .required = true },
    { "--data", NULL, FLAG_TEXT, &options.data, "FILE", "instances; - is standard input", .required = true },
    { "--limit", NULL, FLAG_COUNT, &options.limit, "L", "use only the first L instances", 1 },
    { "--per-instance", NULL, FLAG_TEXT, &options.per_instance, "FILE",
        "write the objective of every instance, one per line" },
    { "--reference", NULL, FLAG_TEXT, &options.reference, "FILE",
        "print the gaps, in percent, to the objectives that it has line by line, as solve -o and --per-instance write "
        "them" },
    FLAG_MPI,
    FLAGS_READING,
    { NULL },
};

static json_t *numbers(const uint64_t *list, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_integer((json_int_t)list[i]));
    return array;
}

static json_t *finite_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static bool print(const struct mdam_evaluation *e, const struct mdam_model *model, const struct reference *reference)
{
    json_t *root = json_object(), *decoders = json_array();
    json_object_set_new(root, "problem", json_string(e->problem));
    json_object_set_new(
        root, "n", e->n_min == e->n_max ? json_integer(e->n_min) : json_sprintf("%u..%u", e->n_min, e->n_max));
    json_object_set_new(root, "count", json_integer((json_int_t)e->count));
    json_object_set_new(root, "complete", json_boolean(e->count == e->instances));
    json_object_set_new(root, "objective", finite_or_null(e->objective));
    json_object_set_new(root, "stderr", finite_or_null(e->standard_error));
    json_object_set_new(root, "seconds", json_real(e->seconds));
    json_object_set_new(root, "model", json_any_text(mdam_model_info(model)->name));
    decoding_describe(root);
    if (e->has_hindsight)
        json_object_set_new(root, "hindsight", json_boolean(e->hindsight));
    for (size_t m = 0; m < e->decoder_count; m++)
        json_array_append_new(decoders, json_integer(e->decoders[m]));
    json_object_set_new(root, "decoders", decoders);
    json_object_set_new(root, "wins", numbers(e->wins, e->decoder_count));
    json_object_set_new(root, "solely_wins", numbers(e->sole_wins, e->decoder_count));
    if (options.reference)
        reference_file_describe(reference, e, root);
    return report_json(root);
}

// Numbers are valid lines of JSON; instances not solved before an interruption are null.
static bool write_per_instance(const struct mdam_evaluation *e)
{
    if (!options.per_instance)
        return true;
    struct text text = { 0 };
    for (size_t i = 0; i < e->instances; i++) {
        if (isnan(e->objectives[i]))
            text_add(&text, "null");
        else
            text_add_real(&text, e->objectives[i]);
        text_add(&text, "\n");
    }
    bool ok = file_write(options.per_instance, text.data, text.size);
    text_finish(&text);
    return ok;
}

static bool spares_files(void)
{
    struct outputs outputs;
    outputs_begin(&outputs, "eval");
    outputs_protect(&outputs, options.data, "instances");
    outputs_protect(&outputs, options.model, "the model");
    outputs_protect(&outputs, options.reference, "the reference");
    bool ok = outputs_add(&outputs, "-", "the result") &&
              outputs_add(&outputs, options.per_instance, "--per-instance") && device_add_profile(&outputs);
    outputs_finish(&outputs);
    return ok;
}

static bool check_outputs(void)
{
    if (options.per_instance && !strcmp(options.per_instance, "-"))
        return fail(FAULT_INPUT, "eval: --per-instance: standard output is used for the result");
    return spares_files() && file_can_write("-") && (!options.per_instance || file_can_write(options.per_instance));
}

static bool evaluate(struct job *job, struct mdam_model *model, struct mdam_solve_options *how,
    struct mdam_evaluation **evaluation, int *status)
{
    job_watch(job, how);
    bool ok = mdam_evaluate(evaluation, model, job->instances, how);
    job_watched(job, ok ? (*evaluation)->count : 0, status);
    return ok;
}

static bool read_reference(struct reference *reference, const struct job *job)
{
    return !options.reference ||
           reference_file_read(reference, options.reference, mdam_instances_count(job->instances), options.limit);
}

static bool run(const struct arguments *arguments, int *status)
{
    struct job job = { 0 };
    struct mdam_model *model = NULL;
    struct mdam_evaluation *evaluation = NULL;
    struct mdam_solve_options how;
    struct reference reference = { 0 };
    bool ok = ranks_join() && decoding_options(arguments, &how) && check_outputs() &&
              job_read(&job, options.data, options.limit ? options.limit : SIZE_MAX, options.model) &&
              job_check_model(&job, options.model) && read_reference(&reference, &job) && device_open(&job.device) &&
              decoding_load(&model, job.device, options.model);
    ok = ranks_all(ok) && evaluate(&job, model, &how, &evaluation, status) &&
         (ranks_rank() > 0 ||
             (print(evaluation, model, &reference) && write_per_instance(evaluation) && device_done(job.device)));
    reference_file_finish(&reference);
    mdam_evaluation_free(&evaluation);
    mdam_model_free(&model);
    job_finish(&job);
    return ok;
}

const struct command command_eval = {
    "eval",
    "measure a model on a set of instances: mean objective, standard error, time, wins of each decoder",
    .flags = { flags, decoding_flags, common_flags },
    .run = run,
};
