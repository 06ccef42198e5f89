// Training: from options to settings, and progress back.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stb/stb_ds.h>

#include "api/internal.h"
#include "checkpoint/weights_file.h"
#include "model/initial.h"
#include "problem/generate.h"
#include "train/inherit.h"
#include "train/train.h"
#include "util/alloc.h"
#include "util/divide.h"
#include "util/error.h"
#include "util/locale.h"
#include "util/text.h"

// What both ways into a training share.
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

static struct train_options options_of(struct watch *watch, const char *folder)
{
    double seconds = watch->options.checkpoint_seconds;
    return (struct train_options){ .folder = folder,
        .time_limit = watch->options.time_limit,
        .checkpoint_seconds = seconds > 0   ? seconds
                              : seconds < 0 ? 0
                                            : 300,
        .memory = watch->options.memory,
        .progress = report,
        .note = note,
        .user = watch };
}

static uint32_t first_of(uint32_t given, uint32_t inherited, uint32_t usual)
{
    return given ? given : inherited ? inherited : usual;
}

static bool choose_drawn(struct distribution *drawn, const struct mdam_train_options *o)
{
    *drawn = (struct distribution){ .n_min = o->n_min,
        .n_max = o->n_max ? o->n_max : o->n_min,
        .capacity_min = o->capacity_min,
        .capacity_max = o->capacity_max ? o->capacity_max : o->capacity_min,
        .prize = PRIZE_DIST };
    return !o->prize || prize_kind_by_name(o->prize, &drawn->prize) ||
           fail(FAULT_INPUT, "\"%.40s\" is no kind of prizes", o->prize);
}

// INIT is zeroed when there is none.
static bool choose_config(struct config *config, const struct mdam_train_options *o, const struct distribution *drawn,
    const struct config *init)
{
    *config = (struct config){ .problem = o->problem ? problem_by_name(o->problem) : NULL,
        .norm = init->dialect == DIALECT_NATIVE ? init->norm : MODEL_INSTANCE,
        .D = first_of(o->embedding, init->D, CONFIG_D),
        .H = first_of(o->heads, init->H, CONFIG_H),
        .F = first_of(o->hidden, init->F, CONFIG_F),
        .L = first_of(o->layers, init->L, CONFIG_L),
        .M = first_of(o->decoders, init->M, CONFIG_M),
        .instances = init->instances };
    if (!config->problem)
        return fail(FAULT_INPUT, "\"%.40s\" is no problem's name", o->problem ? o->problem : "");
    if (o->norm && !model_norm_by_name(o->norm, &config->norm))
        return fail(FAULT_INPUT, "\"%.40s\" is no normalisation", o->norm);
    config->trained = generate_join(config->problem, &init->trained, drawn);
    uint32_t n = drawn->n_max;
    config->p = o->glimpse > 0 ? (uint32_t)o->glimpse : o->glimpse < 0 ? 0 : config_period(config->problem, n);
    if (config->norm == MODEL_BATCH)
        config->O = config_occasions(config->p, n);
    return true;
}

static double real_or(double given, double usual)
{
    return given != 0 ? given : usual;
}

static bool choose_settings(
    struct train_settings *settings, const struct mdam_train_options *o, const struct config *init)
{
    *settings = (struct train_settings){ .epochs = first_of(o->epochs, 0, 100),
        .B = first_of(o->batch, 0, 512),
        .S = first_of(o->rollouts, 0, 1),
        .baseline = o->baseline == MDAM_BASELINE_SHARED ? BASELINE_SHARED : BASELINE_ROLLOUT,
        .lr = real_or(o->lr, 1e-4),
        .lr_decay = real_or(o->lr_decay, 1),
        .lr_final = o->lr_final,
        .kl = o->kl < 0 ? 0 : real_or(o->kl, 0.01),
        .eg_from = o->glimpse_from,
        .val_size = first_of(o->val_size, 0, 10000),
        .seed = o->seed };
    uint64_t steps = o->epoch_size ? divide_up(o->epoch_size, settings->B) : 2500;
    settings->steps = steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;
    settings->log_every = first_of(o->log_every, settings->steps / 50, 1);
    return choose_drawn(&settings->drawn, o) && choose_config(&settings->config, o, &settings->drawn, init) &&
           settings_check(settings);
}

// "BEGINNING: a, b", unless the list is empty; frees the names.
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
    char *beginning = xformat("%s has no such weights; they start anew", from->name);
    note_names(watch, beginning, left);
    free(beginning);
    beginning = xformat("%s has weights that are not taken over", from->name);
    note_names(watch, beginning, dropped);
    free(beginning);
    return true;
}

static void note_late_glimpse(struct watch *watch, const struct train_settings *settings)
{
    if (!settings->config.p || settings->eg_from < settings->epochs)
        return;
    char *sentence = xformat("glimpses would begin with epoch %u, but the last of %u is epoch %u: none has them",
        settings->eg_from, settings->epochs, settings->epochs - 1);
    note(watch, sentence);
    free(sentence);
}

// Of a training that could not begin. What has something in it stays.
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
    bool is_new = access(options->folder, F_OK);
    bool ok = train_start(train, gpu, settings, weights, options);
    if (!ok && is_new)
        clear_away(options->folder);
    return ok;
}

// Runs and ends it.
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

// The model to start from, zeroed when there is none, and the settings.
static bool choose(struct train_settings *settings, struct weights *init, const struct mdam_train_options *o)
{
    *init = (struct weights){ 0 };
    return (!o->init || weights_load(o->init, init)) && choose_settings(settings, o, &init->config);
}

bool mdam_train_check(const struct mdam_train_options *from)
{
    struct mdam_train_options options = { 0 };
    struct train_settings settings;
    struct weights init = { 0 };
    bool ok = mdam_options_take(&options, from) && choose(&settings, &init, &options);
    weights_finish(&init);
    return ok;
}

bool mdam_train(struct mdam_device *device, const char *folder, const struct mdam_train_options *from,
    struct mdam_train_progress *last)
{
    IN_PLAIN_LOCALE;
    struct watch watch = { 0 };
    if (!check_call(device, folder) || !mdam_options_take(&watch.options, from))
        return false;
    struct weights init, weights = { 0 };
    struct train_settings settings;
    struct train *train = NULL;
    bool ok = choose(&settings, &init, &watch.options);
    if (ok) {
        weights_draw(&weights, &settings.config, settings.seed);
        ok = !watch.options.init || inherit(&weights, &init, &watch);
    }
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
    if (!check_call(device, folder) || !mdam_options_take(&watch.options, from))
        return false;
    struct train *train = NULL;
    struct train_options options = options_of(&watch, folder);
    return train_resume(&train, device->gpu, watch.options.epochs, &options) && run(&train, &watch, last);
}
