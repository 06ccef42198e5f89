// Finds, loads and describes models.
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stb/stb_ds.h>

#include "api/internal.h"
#include "checkpoint/export.h"
#include "checkpoint/import.h"
#include "checkpoint/weights_file.h"
#include "model/initial.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/locale.h"
#include "util/option.h"

// BEST: index in the file of the decoder that was best in validation.
static struct mdam_model_info describe(
    const struct config *config, const char *name, const uint32_t *decoders, uint32_t best)
{
    return (struct mdam_model_info){ .problem = config->problem->name,
        .name = name,
        .decoder_count = config->M,
        .decoders = decoders,
        .n_min = config->trained.n_min,
        .n_max = config->trained.n_max,
        .instances = config->instances,
        .has_validation = config->has_validation,
        .validation = config->validation,
        .embedding = config->D,
        .heads = config->H,
        .hidden = config->F,
        .layers = config->L,
        .glimpse = config->p ? (int32_t)config->p : -1,
        .norm = model_norm_name(config->norm),
        .dialect = dialect_name(config->dialect),
        .best_decoder = best };
}

// Reads the weights of the requested decoders from a file; *decoders gets their indices in the file.
static bool read_weights(struct weights *weights, uint32_t **decoders, uint32_t *best, const char *path,
    const struct mdam_model_options *from)
{
    struct mdam_model_options options = { 0 };
    *decoders = NULL;
    *weights = (struct weights){ 0 };
    if (!mdam_options_copy(&options, from) || !weights_load(path, weights))
        return false;
    *best = weights->config.best_decoder;
    uint32_t count = options.decoders ? (uint32_t)options.decoder_count : weights->config.M;
    if (options.decoders && !weights_select(weights, options.decoders, options.decoder_count)) {
        weights_finish(weights);
        return fail_within("%s", path);
    }
    *decoders = xcalloc(count, sizeof **decoders);
    for (uint32_t m = 0; m < count; m++)
        (*decoders)[m] = options.decoders ? options.decoders[m] : m;
    return true;
}

bool mdam_model_read(struct mdam_model_info **out, const char *path, const struct mdam_model_options *options)
{
    IN_PLAIN_LOCALE;
    *out = NULL;
    struct weights weights;
    uint32_t *decoders, best;
    if (!path)
        return fail(FAULT_INTERNAL, "the path of the model is NULL");
    if (!read_weights(&weights, &decoders, &best, path, options))
        return false;
    *out = xcalloc(1, sizeof **out);
    **out = describe(&weights.config, xstrdup(weights.name), decoders, best);
    weights_finish(&weights);
    return true;
}

void mdam_model_info_free(struct mdam_model_info **info)
{
    if (!*info)
        return;
    free((char *)(*info)->name);
    free((uint32_t *)(*info)->decoders);
    free(*info);
    *info = NULL;
}

bool mdam_model_load(
    struct mdam_model **out, struct mdam_device *device, const char *path, const struct mdam_model_options *options)
{
    IN_PLAIN_LOCALE;
    *out = NULL;
    struct weights weights;
    if (!device || !path)
        return fail(FAULT_INTERNAL, "%s is NULL", device ? "the path of the model" : "the device of the model");
    struct mdam_model *model = xcalloc(1, sizeof *model);
    bool ok = read_weights(&weights, &model->decoders, &model->best_decoder, path, options);
    if (ok) {
        model->device = device;
        model->name = xstrdup(weights.name);
        ok = model_create(&model->model, device->gpu, &weights.config) && model_load(model->model, &weights);
        weights_finish(&weights);
    }
    if (ok) {
        model->info = describe(&model->model->config, model->name, model->decoders, model->best_decoder);
        *out = model;
    } else {
        mdam_model_free(&model);
    }
    return ok;
}

void mdam_model_free(struct mdam_model **slot)
{
    struct mdam_model *model = *slot;
    if (!model)
        return;
    model_destroy(&model->model);
    free(model->decoders);
    free(model->name);
    free(model);
    *slot = NULL;
}

const struct mdam_model_info *mdam_model_info(const struct mdam_model *model)
{
    return &model->info;
}

// Sets *path to FOLDER/<problem>.safetensors if it exists.
static bool find_in(char **path, const char *folder, const char *problem)
{
    *path = xformat("%s/%s.safetensors", folder, problem);
    if (!access(*path, F_OK))
        return true;
    mdam_text_free(path);
    return false;
}

// Searches the folders above FILE, which is in an installed tree (bin/mdam-vk, lib/libmdam.so,
// lib/<machine>/libmdam.so) or in a build folder of the source tree.
static bool find_above(char **path, const char *file, const char *problem)
{
    enum { LEVELS = 4 };
    char *folder = file ? realpath(file, NULL) : NULL, *slash;
    bool found = false;
    for (int level = 0; !found && level < LEVELS && folder && (slash = strrchr(folder, '/')); level++) {
        *slash = 0;
        static const char *const below[] = { "share/mdam-vk/models", "models" };
        for (size_t i = 0; !found && i < sizeof below / sizeof *below; i++) {
            char *models = xformat("%s/%s", folder, below[i]);
            found = find_in(path, models, problem);
            free(models);
        }
    }
    free(folder);
    return found;
}

bool mdam_model_find(char **path, const char *problem)
{
    *path = NULL;
    if (!problem)
        return fail(FAULT_INTERNAL, "the name of the problem is NULL");
    if (!problem_expected(problem))
        return false;
    const char *folder = getenv("MDAM_VK_MODELS");
    if (folder && *folder)
        return find_in(path, folder, problem) ||
               fail(FAULT_INPUT, "MDAM_VK_MODELS: %s has no model for %s", folder, problem);
    static const char here; // an address in the library, or in the program that it is linked into
    Dl_info info;
    const char *library = dladdr(&here, &info) ? info.dli_fname : NULL;
    return find_above(path, library, problem) || find_above(path, "/proc/self/exe", problem) ||
           find_in(path, MDAM_MODELS, problem) || fail(FAULT_INPUT, "no model for %s found", problem);
}

static void tell(void (*note)(void *user, const char *sentence), void *user, const char *sentence)
{
    IN_CALLERS_LOCALE;
    note(user, sentence);
}

bool mdam_import(const char *output, const char *checkpoint, const char *args,
    void (*note)(void *user, const char *sentence), void *user)
{
    IN_PLAIN_LOCALE;
    struct weights weights;
    char **notes = NULL;
    if (!output || !checkpoint)
        return fail(FAULT_INTERNAL, "the path of %s is NULL", output ? "the checkpoint" : "the model");
    bool ok = import_checkpoint(checkpoint, args, &weights, &notes);
    for (ptrdiff_t i = 0; i < arrlen(notes); i++) {
        if (ok && note)
            tell(note, user, notes[i]);
        free(notes[i]);
    }
    arrfree(notes);
    ok = ok && weights_save(output, &weights);
    weights_finish(&weights);
    return ok;
}

bool mdam_export(const char *output, const char *model, enum mdam_release release, const char *args,
    void (*note)(void *user, const char *sentence), void *user)
{
    IN_PLAIN_LOCALE;
    struct weights weights;
    char **notes = NULL;
    if (!output || !model)
        return fail(FAULT_INTERNAL, "the path of %s is NULL", output ? "the model" : "the checkpoint");
    if (!weights_load(model, &weights))
        return false;
    bool ok = export_checkpoint(output, args, &weights, release == MDAM_RELEASE_AM, &notes);
    ok = ok || fail_within("%s", file_shown(model));
    for (ptrdiff_t i = 0; i < arrlen(notes); i++) {
        if (ok && note)
            tell(note, user, notes[i]);
        free(notes[i]);
    }
    arrfree(notes);
    weights_finish(&weights);
    return ok;
}

void mdam_glimpse_set(struct config *config, int32_t glimpse, uint32_t n)
{
    config->p = glimpse > 0 ? (uint32_t)glimpse : glimpse < 0 ? 0 : config_period(config->problem, n);
    if (config->norm == MODEL_BATCH)
        config->O = config_occasions(config->p, n);
}

bool mdam_init(const char *output, const struct mdam_init_options *from)
{
    IN_PLAIN_LOCALE;
    struct mdam_init_options o = { 0 };
    const struct mdam_option *table = mdam_options(MDAM_OPTIONS_INIT);
    if (!output)
        return fail(FAULT_INTERNAL, "the path of the model is NULL");
    if (!mdam_options_copy(&o, from) || !options_check(table, &o))
        return false;
    options_fill(table, &o);
    struct config config = { .problem = mdam_problem_find(o.problem),
        .D = o.embedding,
        .H = o.heads,
        .F = o.hidden,
        .L = o.layers,
        .M = o.decoders };
    if (!config.problem)
        return false;
    if (o.norm)
        model_norm_by_name(o.norm, &config.norm);
    mdam_glimpse_set(&config, o.glimpse, o.n);
    if (!config_check(&config))
        return false;
    struct weights weights;
    weights_draw(&weights, &config, o.seed);
    bool ok = weights_save(output, &weights);
    weights_finish(&weights);
    return ok;
}
