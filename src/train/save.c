// Starts a training, saves its checkpoints, and resumes from one.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stb/stb_ds.h>

#include "gpu/gpu.h"
#include "plot/curve.h"
#include "train/checkpoint.h"
#include "train/train.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/file.h"
#include "util/ranks.h"

uint64_t train_instances(const struct train *t)
{
    return t->state.step * t->settings.B;
}

double train_seconds(const struct train *t)
{
    return t->clock.seconds + (t->started > 0 ? clock_seconds() - t->started : 0);
}

static uint64_t weight_floats(const struct config *config)
{
    struct params params;
    struct stats stats;
    return params_layout_host(&params, &stats, config);
}

// Returns the floats of a checkpoint; see train/checkpoint.h.
static uint64_t floats_of(const struct train *t)
{
    return (t->replica->frozen ? 2 : 1) * weight_floats(&t->settings.config) + optimiser_floats(t->replica->optimiser);
}

// Makes weights of a part of a checkpoint's values.
static struct weights weights_in(const struct train *t, float *values)
{
    struct weights weights = { .config = t->settings.config, .values = values };
    weights.count = params_layout_host(&weights.params, &weights.stats, &weights.config);
    return weights;
}

static bool download(const struct train *t, struct checkpoint *c)
{
    uint64_t floats = weight_floats(&t->settings.config);
    struct weights weights = weights_in(t, c->values), frozen = weights_in(t, c->values + c->count - floats);
    struct optimiser_saved saved = { .moments = c->values + floats };
    const struct model *model = t->replica->model, *baseline = t->replica->frozen;
    if (!weights_download(t->gpu, &weights, &model->params, &model->stats) ||
        !optimiser_save(t->replica->optimiser, &saved) ||
        (baseline && !weights_download(t->gpu, &frozen, &baseline->params, &baseline->stats)))
        return false;
    c->state.optimiser_steps = saved.steps;
    c->state.optimiser_skips = saved.skips;
    return true;
}

static bool upload(struct train *t, const struct checkpoint *c)
{
    uint64_t floats = weight_floats(&t->settings.config);
    struct weights weights = weights_in(t, c->values), frozen = weights_in(t, c->values + c->count - floats);
    struct optimiser_saved saved = { c->state.optimiser_steps, c->state.optimiser_skips, c->values + floats };
    struct replica *r = t->replica;
    return model_load(r->model, &weights) && optimiser_load(r->optimiser, &saved) &&
           (!r->frozen || model_load(r->frozen, &frozen));
}

static bool writes(void)
{
    return ranks_rank() == 0;
}

// Clocks decide how many checkpoints there are. The number of the next one depends only on the step and on how many
// this step has, so it is the same on any number of ranks.
static uint64_t next_number(const struct train *t)
{
    const uint64_t next = t->state.checkpoint + 1, first = 16 * t->state.step;
    return next > first ? next : first;
}

static uint32_t other_slot(const struct train *t)
{
    return t->slot ? 0 : 1;
}

static bool write_checkpoint(struct train *t)
{
    struct checkpoint c = { .settings = t->settings, .state = t->state, .count = floats_of(t) };
    c.slot = other_slot(t);
    c.clock = t->clock;
    c.clock.seconds = train_seconds(t);
    c.state.checkpoint = next_number(t);
    c.state.log_lines = t->log.lines;
    c.values = xcalloc(c.count, sizeof *c.values);
    for (size_t i = 0; i < arrlenu(t->ranges->list); i++) {
        arrsetlen(c.splits, i + 1);
        memcpy(c.splits[i], t->ranges->list[i].splits, sizeof c.splits[i]);
    }
    bool ok = download(t, &c) && log_sync(&t->log) && checkpoint_write(t->options.folder, &c);
    checkpoint_finish(&c);
    return ok;
}

bool train_save(struct train *t)
{
    bool ok = !writes() || write_checkpoint(t);
    if (ok) {
        t->state.checkpoint = next_number(t);
        t->slot = other_slot(t);
        t->saved = clock_seconds();
        t->unsaved = false;
    }
    return ok;
}

bool train_curve(const struct train *t)
{
    if (!writes())
        return true;
    struct text svg = { 0 };
    char *path = xformat("%s/curve.svg", t->options.folder);
    const struct distribution *drawn = &t->settings.drawn;
    curve_write(&svg, &(struct curve){ .problem = t->settings.config.problem,
                          .n_min = drawn->n_min,
                          .n_max = drawn->n_max,
                          .costs = t->log.costs,
                          .validations = t->log.validations });
    bool ok = file_write(path, svg.data, svg.size);
    free(path);
    text_finish(&svg);
    return ok;
}

static struct train *create(struct gpu *gpu, const struct train_settings *settings, const struct train_options *options)
{
    struct train *t = xcalloc(1, sizeof *t);
    t->gpu = gpu;
    t->settings = *settings;
    t->options = *options;
    t->log.fd = -1;
    return t;
}

// The instances of the settings' file: a fresh training remembers what they are, a resumed one finds the same.
static bool open_data(struct train *t)
{
    if (!*t->settings.data)
        return true;
    bool ok = t->options.read &&
              t->options.read(t->options.user, t->settings.data, t->settings.config.problem, &t->instances);
    if (ok) {
        t->data = data_create(t->instances, arrlenu(t->instances), t->settings.seed);
        uint64_t hash = data_hash(t->data);
        if (!t->settings.data_hash)
            t->settings.data_hash = hash;
        ok = hash == t->settings.data_hash ||
             fail(FAULT_INPUT, "%s: not the instances that the training began with", t->settings.data);
    }
    return ok;
}

static bool create_ranges(struct train *t)
{
    bool frozen = t->settings.baseline == BASELINE_ROLLOUT;
    bool ok = replica_create(&t->replica, t->gpu, &t->settings.config, frozen, t->options.memory) &&
              ranges_create(&t->ranges, &t->settings, t->replica, t->data);
    if (ok && t->options.threads)
        t->ranges->threads = t->options.threads;
    return ok;
}

void train_destroy(struct train **slot)
{
    struct train *t = *slot;
    if (!t)
        return;
    ranges_destroy(&t->ranges);
    data_destroy(&t->data);
    for (ptrdiff_t i = 0; i < arrlen(t->instances); i++)
        instance_finish(&t->instances[i]);
    arrfree(t->instances);
    replica_destroy(&t->replica);
    log_close(&t->log);
    free(t);
    *slot = NULL;
}

// Removes unfinished files of a killed run.
static void sweep(const char *folder)
{
    static const char *const names[] = { TRAIN_MODEL, "curve.svg" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = xformat("%s/%s", folder, names[i]);
        file_sweep(path);
        free(path);
    }
    checkpoint_sweep(folder);
}

static bool open_folder(struct train *t)
{
    char *checkpoints = xformat("%s/checkpoint", t->options.folder);
    bool ok =
        file_make_folder(checkpoints) && log_open(&t->log, t->options.folder, t->state.log_lines, t->state.log_bytes);
    if (ok && (t->options.tensorboard || log_has_events(t->options.folder)))
        ok = log_open_events(&t->log, t->options.folder);
    if (ok)
        sweep(t->options.folder);
    if (ok && t->log.lost) {
        char *sentence = xformat("%s %s; it and the curve continue with later steps", t->log.path,
            t->log.lines ? "is cut short" : "is absent or empty");
        train_note(t, sentence);
        free(sentence);
    }
    free(checkpoints);
    return ok;
}

static void note_splits(const struct train *t)
{
    uint32_t max_splits = 1;
    for (size_t i = 0; i < arrlenu(t->ranges->list); i++) {
        for (int k = 0; k < 2; k++)
            max_splits = t->ranges->list[i].splits[k] > max_splits ? t->ranges->list[i].splits[k] : max_splits;
    }
    if (max_splits == 1)
        return;
    bool differs = t->settings.config.norm == MODEL_BATCH;
    char *sentence = xformat("a batch of %u does not fit into memory and is split into micro-batches of at least %u%s",
        t->settings.B, t->settings.B / t->settings.parts / max_splits,
        differs ? "; with batch normalisation the statistics, and so the gradient, differ from those of the whole batch"
                : "");
    train_note(t, sentence);
    free(sentence);
}

// Detects a training whose checkpoints are gone. A log without a line belongs to one that never began.
static bool has_results(const char *folder)
{
    static const char *const names[] = { TRAIN_MODEL, TRAIN_LOG };
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = xformat("%s/%s", folder, names[i]);
        struct stat file;
        found = found || (!stat(path, &file) && file.st_size > 0);
        free(path);
    }
    return found;
}

static bool is_free(const char *folder)
{
    if (checkpoint_exists(folder))
        return fail(FAULT_INPUT, "%s: already has a training, which can be resumed", folder);
    if (has_results(folder))
        return fail(FAULT_INPUT, "%s: already has a model or a log, which would be lost", folder);
    return true;
}

bool train_start(struct train **out, struct gpu *gpu, const struct train_settings *settings,
    const struct weights *weights, const struct train_options *options)
{
    struct train *t = *out = create(gpu, settings, options);
    bool ok = ranks_all(settings_check(settings) && (!writes() || (is_free(options->folder) && open_folder(t))));
    ok = ok && ranks_all(open_data(t) && create_ranges(t)) && ranges_plan(t->ranges);
    if (ok)
        note_splits(t);
    // From here on a killed training can be resumed.
    ok = ok && ranks_all(model_load(t->replica->model, weights) &&
                         (!t->replica->frozen || replica_freeze(t->replica)) && train_save(t));
    if (!ok)
        train_destroy(out);
    return ok;
}

// If the model file was removed, the next validation writes it.
static void look_for_model(struct train *t)
{
    char *path = xformat("%s/" TRAIN_MODEL, t->options.folder);
    if (t->state.has_best && access(path, F_OK)) {
        char *sentence = xformat("%s is absent; the next validation writes it", path);
        train_note(t, sentence);
        free(sentence);
        t->state.has_best = 0;
    }
    free(path);
}

static bool restore(struct train *t, const struct checkpoint *c)
{
    if (arrlenu(c->splits) != arrlenu(t->ranges->list) || c->count != floats_of(t))
        return fail(FAULT_INPUT, "%s: the checkpoint's settings do not fit its weights", t->options.folder);
    for (size_t i = 0; i < arrlenu(c->splits); i++)
        memcpy(t->ranges->list[i].splits, c->splits[i], sizeof c->splits[i]);
    t->progress.skipped = t->state.optimiser_skips;
    t->progress.has_validation = t->state.has_best;
    t->progress.validation = t->progress.best = t->state.best;
    return upload(t, c);
}

// Rank 0 reads it.
static bool read_checkpoint(struct checkpoint *c, uint32_t epochs, const struct train_options *options)
{
    *c = (struct checkpoint){ 0 };
    if (!ranks_all(!writes() || checkpoint_read(options->folder, c, options->note, options->user)))
        return false;
    bool ok = checkpoint_share(c);
    if (epochs)
        c->settings.epochs = epochs;
    return ranks_all(ok && settings_check(&c->settings) && // otherwise it would be saved but not accepted again
                     settings_fit_ranks(&c->settings));
}

bool train_resume(struct train **out, struct gpu *gpu, uint32_t epochs, const struct train_options *options)
{
    *out = NULL;
    struct checkpoint c;
    bool ok = read_checkpoint(&c, epochs, options);
    if (ok) {
        struct train *t = *out = create(gpu, &c.settings, options);
        t->state = c.state;
        t->clock = c.clock;
        t->slot = c.slot;
        ok = ranks_all(!writes() || open_folder(t));
        if (ok && writes())
            look_for_model(t);
        ranks_broadcast(&t->state.has_best, sizeof t->state.has_best);
        ok = ok && ranks_all(open_data(t) && create_ranges(t) && restore(t, &c));
    }
    checkpoint_finish(&c);
    if (!ok)
        train_destroy(out);
    return ok;
}
