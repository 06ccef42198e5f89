// Training: converts options to settings, and reports progress.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stb/stb_ds.h>

#include "api/internal.h"
#include "checkpoint/weights_file.h"
#include "format/files.h"
#include "model/initial.h"
#include "problem/generate.h"
#include "train/inherit.h"
#include "train/options.h"
#include "train/recipe.h"
#include "train/train.h"
#include "util/alloc.h"
#include "util/divide.h"
#include "util/error.h"
#include "util/locale.h"
#include "util/option.h"
#include "util/ranks.h"
#include "util/text.h"

// Shared by mdam_train and mdam_train_resume.
struct watch {
    struct mdam_train_options options;
    struct mdam_train_progress last;
};

static bool report(void *user, const struct train_progress *p)
{
    IN_CALLERS_LOCALE;
    struct watch *watch = user;
    watch->last = (struct mdam_train_progress){ .event = (enum mdam_train_event)p->event,
        .done = p->done,
        .count = p->count,
        .epoch = p->epoch,
        .epochs = p->epochs,
        .step = p->step,
        .steps = p->steps,
        .instances = p->instances,
        .cost = p->cost,
        .baseline = p->baseline,
        .kl = p->kl,
        .lr = p->lr,
        .skipped = p->skipped,
        .has_validation = p->has_validation,
        .validation = p->validation,
        .best = p->best,
        .per_second = p->per_second,
        .reduction = p->reduction,
        .seconds = p->seconds,
        .seconds_left = p->seconds_left };
    return !watch->options.progress || watch->options.progress(watch->options.user, &watch->last);
}

static void note(void *user, const char *sentence)
{
    IN_CALLERS_LOCALE;
    struct watch *watch = user;
    if (watch->options.note)
        watch->options.note(watch->options.user, sentence);
}

static bool read_data(void *user, const char *path, const struct problem *problem, struct instance **list)
{
    (void)user;
    if (!instances_read_as(path, &(struct mdam_read_options){ .problem = problem->name }, UINT32_MAX, list))
        return false;
    for (size_t i = 0; i < arrlenu(*list); i++) {
        if ((*list)[i].vehicles > 0)
            return fail(FAULT_INPUT,
                "%s: instance %zu: a number of vehicles cannot be trained on, because a sample may not find a plan",
                path, i + 1);
        if ((*list)[i].problem != problem)
            return fail(FAULT_INPUT, "%s: instance %zu: %s instead of %s", path, i + 1, (*list)[i].problem->name,
                problem->name);
    }
    return arrlenu(*list) > 1 || fail(FAULT_INPUT, "%s: at least 2 instances are required to train on", path);
}

static struct train_options options_of(struct watch *watch, const char *folder)
{
    options_fill(train_run_table, &watch->options);
    return (struct train_options){ .folder = folder,
        .time_limit = watch->options.time_limit,
        .checkpoint_seconds = watch->options.checkpoint_seconds,
        .memory = watch->options.memory,
        .read = read_data,
        .tensorboard = watch->options.tensorboard,
        .progress = report,
        .note = note,
        .user = watch };
}

static bool choose_drawn(struct distribution *drawn, const struct problem *problem, const struct mdam_train_options *o)
{
    *drawn = (struct distribution){ .n_min = o->n_min,
        .n_max = o->n_max,
        .capacity_min = o->capacity_min,
        .capacity_max = o->capacity_max,
        .prize = PRIZE_DIST,
        .layout = mdam_layout_take(o->layout),
        .length_min = o->max_length_min,
        .length_max = o->max_length_max };
    return mdam_prize_find(&drawn->prize, problem, o->prize);
}

// INIT is zeroed if there is none.
static bool choose_config(struct config *config, const struct mdam_train_options *o, const struct distribution *drawn,
    const struct config *init)
{
    *config = (struct config){ .problem = problem_by_name(o->problem),
        .norm = init->dialect == DIALECT_NATIVE ? init->norm : MODEL_INSTANCE,
        .D = o->embedding,
        .H = o->heads,
        .F = o->hidden,
        .L = o->layers,
        .M = o->decoders,
        .instances = init->instances };
    if (o->norm)
        model_norm_by_name(o->norm, &config->norm);
    config->trained = generate_join(config->problem, &init->trained, drawn);
    mdam_glimpse_set(config, o->glimpse, drawn->n_max);
    return true;
}

// Sizes that are not given are those of the initial model.
static void inherit_sizes(struct mdam_train_options *o, const struct config *init)
{
    o->embedding = o->embedding ? o->embedding : init->D;
    o->heads = o->heads ? o->heads : init->H;
    o->hidden = o->hidden ? o->hidden : init->F;
    o->layers = o->layers ? o->layers : init->L;
    o->decoders = o->decoders ? o->decoders : init->M;
}

// Sizes and counts that instances of a file decide; with them no other distribution is given.
static bool choose_data(
    struct train_settings *settings, struct mdam_train_options *o, const struct mdam_train_options *given)
{
    if (!o->data)
        return true;
    struct instance *list = NULL;
    const struct {
        const char *field;
        bool given;
    } drawn[] = { { "n", given->n_min }, { "capacity", given->capacity_min }, { "prize", given->prize },
        { "layout", given->layout }, { "max_length", given->max_length_min > 0 } };
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        if (drawn[i].given)
            return fail_fields(FAULT_INPUT, drawn[i].field, "data", "sizes and values of instances come from the file");
    }
    char *path = realpath(o->data, NULL);
    bool ok = path ? strlen(path) < sizeof settings->data : false;
    if (!ok)
        fail_field(FAULT_INPUT, "data", "%s: cannot be read", o->data);
    ok = ok && read_data(NULL, path, problem_by_name(o->problem), &list);
    if (ok) {
        memcpy(settings->data, path, strlen(path) + 1);
        o->n_min = o->n_max = list[0].n;
        uint32_t held_out = data_held_out(arrlenu(list));
        settings->val_size = held_out;
        o->epoch_size = o->epoch_size ? o->epoch_size : arrlenu(list) - held_out;
    }
    for (size_t i = 0; i < arrlenu(list); i++) {
        o->n_min = list[i].n < o->n_min ? list[i].n : o->n_min;
        o->n_max = list[i].n > o->n_max ? list[i].n : o->n_max;
        instance_finish(&list[i]);
    }
    arrfree(list);
    free(path);
    return ok;
}

static bool choose_settings(
    struct train_settings *settings, const struct mdam_train_options *from, const struct config *init)
{
    struct mdam_train_options o = *from;
    *settings = (struct train_settings){ 0 };
    if (!options_check(train_table, &o) || !options_check(train_run_table, &o) || !mdam_problem_find(o.problem))
        return false;
    if (o.glimpse < 0 && o.glimpse_from)
        return fail_fields(FAULT_INPUT, "glimpse_from", "glimpse", "the model has no glimpses");
    if (o.lr_decay > 0 && o.lr_decay != 1 && o.lr_final > 0)
        return fail_fields(FAULT_INPUT, "lr_decay", "lr_final", "the learning rate follows one of them, not both");
    recipe_fill(&o, problem_by_name(o.problem), from->init);
    inherit_sizes(&o, init);
    options_fill(train_table, &o);
    if (o.imitate_from != MDAM_IMITATE_SAMPLE && !(o.imitate > 0))
        return fail_fields(FAULT_INPUT, "imitate_from", "imitate", "nothing is imitated with the weight 0");
    settings_from_options(settings, &o);
    if (!choose_data(settings, &o, from))
        return false;
    settings->baseline = o.baseline == MDAM_BASELINE_SHARED ? BASELINE_SHARED : BASELINE_ROLLOUT;
    uint64_t steps = o.epoch_size ? divide_up(o.epoch_size, settings->B) : 2500;
    settings->steps = steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;
    if (!o.log_every)
        settings->log_every = settings->steps < 50 ? 1 : settings->steps / 50;
    if (!o.parts)
        settings->parts = settings_parts(settings->B);
    return choose_drawn(&settings->drawn, problem_by_name(o.problem), &o) &&
           choose_config(&settings->config, &o, &settings->drawn, init) && settings_check(settings) &&
           settings_fit_ranks(settings);
}

// Reports "BEGINNING: a, b" unless the list is empty; frees the names.
static void note_names(struct watch *watch, const char *beginning, char **names)
{
    struct text sentence = { 0 };
    text_add(&sentence, "%s:", beginning);
    for (size_t i = 0; i < arrlenu(names); i++) {
        text_add(&sentence, "%s %s", i ? "," : "", names[i]);
        free(names[i]);
    }
    if (arrlenu(names))
        note(watch, sentence.data);
    text_finish(&sentence);
    arrfree(names);
}

static bool inherit(struct weights *to, const struct weights *from, struct watch *watch)
{
    char **left = NULL, **dropped = NULL;
    if (!inherit_weights(to, from, &left, &dropped))
        return fail_within("%s", from->name);
    char *beginning = xformat("%s lacks these weights, which start untrained", from->name);
    note_names(watch, beginning, left);
    free(beginning);
    beginning = xformat("%s has weights that are not used", from->name);
    note_names(watch, beginning, dropped);
    free(beginning);
    return true;
}

// A training that is resumed may get more epochs, so this is no mistake for certain.
static void note_late_glimpse(struct watch *watch, const struct train_settings *settings)
{
    if (!settings->config.p || settings->eg_from < settings->epochs)
        return;
    char *sentence = xformat("glimpses start with epoch %u, but the last of %u epochs is %u: no epoch has glimpses",
        settings->eg_from, settings->epochs, settings->epochs - 1);
    note(watch, sentence);
    free(sentence);
}

// Removes the folders of a training that could not begin, if they are empty.
static void clear_away(const char *folder)
{
    char *checkpoints = xformat("%s/checkpoint", folder), *log = xformat("%s/" TRAIN_LOG, folder);
    struct stat status;
    if (!stat(log, &status) && !status.st_size)
        unlink(log);
    rmdir(checkpoints);
    rmdir(folder);
    free(checkpoints);
    free(log);
}

static bool start(struct train **train, struct gpu *gpu, const struct train_settings *settings,
    const struct weights *weights, const struct train_options *options)
{
    bool is_new = ranks_rank() == 0 && access(options->folder, F_OK);
    bool ok = train_start(train, gpu, settings, weights, options);
    if (!ok && is_new)
        clear_away(options->folder);
    return ok;
}

// Runs the training and frees it.
static bool run(struct train **train, const struct watch *watch, struct mdam_train_progress *last)
{
    bool ok = train_run(*train);
    train_destroy(train);
    if (last)
        *last = watch->last;
    return ok;
}

static bool check_call(const struct mdam_device *device, const char *folder)
{
    return (device && folder) || fail(FAULT_INTERNAL, "a training has no %s", device ? "folder" : "device");
}

// Sets INIT to the initial model, zeroed if there is none, and the settings.
static bool choose(struct train_settings *settings, struct weights *init, const struct mdam_train_options *o)
{
    *init = (struct weights){ 0 };
    return (!o->init || weights_load(o->init, init)) && choose_settings(settings, o, &init->config);
}

bool mdam_train_check(const struct mdam_train_options *from)
{
    IN_PLAIN_LOCALE;
    struct mdam_train_options options = { 0 };
    struct train_settings settings;
    struct weights init = { 0 };
    bool ok = mdam_options_copy(&options, from) && choose(&settings, &init, &options);
    weights_finish(&init);
    return ok;
}

bool mdam_train(struct mdam_device *device, const char *folder, const struct mdam_train_options *from,
    struct mdam_train_progress *last)
{
    IN_PLAIN_LOCALE;
    struct watch watch = { 0 };
    if (!check_call(device, folder) || !mdam_options_copy(&watch.options, from))
        return false;
    struct weights init, weights = { 0 };
    struct train_settings settings;
    struct train *train = NULL;
    bool ok = choose(&settings, &init, &watch.options);
    if (ok) {
        weights_draw(&weights, &settings.config, settings.seed);
        ok = !watch.options.init || inherit(&weights, &init, &watch);
    }
    ok = ranks_all(ok);
    if (ok)
        ranks_broadcast(weights.values, weights.count * sizeof *weights.values);
    struct train_options options = options_of(&watch, folder);
    if (ok)
        note_late_glimpse(&watch, &settings);
    ok = ok && start(&train, device->gpu, &settings, &weights, &options) && run(&train, &watch, last);
    weights_finish(&init);
    weights_finish(&weights);
    return ok;
}

bool mdam_train_resume(struct mdam_device *device, const char *folder, const struct mdam_train_options *from,
    struct mdam_train_progress *last)
{
    IN_PLAIN_LOCALE;
    struct watch watch = { 0 };
    if (!check_call(device, folder) || !mdam_options_copy(&watch.options, from))
        return false;
    if (!options_check(train_run_table, &watch.options) ||
        (watch.options.epochs && !option_allows(train_table, "epochs", watch.options.epochs)))
        return false;
    struct train *train = NULL;
    struct train_options options = options_of(&watch, folder);
    return train_resume(&train, device->gpu, watch.options.epochs, &options) && run(&train, &watch, last);
}
