// Models: found, loaded, described.
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stb/stb_ds.h>

#include "api/internal.h"
#include "checkpoint/import.h"
#include "checkpoint/weights_file.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/locale.h"

static void describe(struct mdam_model *model)
{
    const struct config *config = &model->model->config;
    model->info = (struct mdam_model_info){ .problem = config->problem->name,
        .name = model->name,
        .decoder_count = config->M,
        .decoders = model->decoders,
        .n_min = config->trained.n_min,
        .n_max = config->trained.n_max,
        .instances = config->instances,
        .has_validation = config->has_validation,
        .validation = config->validation };
}

bool mdam_model_load(
    struct mdam_model **out, struct mdam_device *device, const char *path, const struct mdam_model_options *from)
{
    IN_PLAIN_LOCALE;
    *out = NULL;
    struct mdam_model_options options = { 0 };
    struct weights weights;
    if (!device || !path)
        return fail(FAULT_INTERNAL, "a model is loaded %s", device ? "from a path that is NULL" : "without a device");
    if (!mdam_options_take(&options, from) || !weights_load(path, &weights))
        return false;
    struct mdam_model *model = xcalloc(1, sizeof *model);
    model->device = device;
    model->name = xstrdup(weights.name);
    model->best_decoder = weights.config.best_decoder;
    uint32_t count = options.decoders ? (uint32_t)options.decoder_count : weights.config.M;
    bool ok = !options.decoders || weights_select(&weights, options.decoders, options.decoder_count) ||
              fail_within("%s", path);
    if (ok) {
        model->decoders = xcalloc(count, sizeof *model->decoders);
        for (uint32_t m = 0; m < count; m++)
            model->decoders[m] = options.decoders ? options.decoders[m] : m;
        ok = model_create(&model->model, device->gpu, &weights.config) && model_load(model->model, &weights);
    }
    weights_finish(&weights);
    if (ok) {
        describe(model);
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

// FOLDER/<problem>.safetensors, if it is there.
static bool find_in(char **path, const char *folder, const char *problem)
{
    *path = xformat("%s/%s.safetensors", folder, problem);
    if (!access(*path, F_OK))
        return true;
    mdam_text_free(path);
    return false;
}

// Goes up from FILE, which lies in an installed tree (bin/mdam-vk, lib/libmdam.so, lib/<machine>/libmdam.so) or in a
// build folder within the source tree.
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
        return fail(FAULT_INTERNAL, "a model is looked for, and the problem's name is NULL");
    if (!problem_expected(problem))
        return false;
    const char *folder = getenv("MDAM_VK_MODELS");
    if (folder && *folder)
        return find_in(path, folder, problem) ||
               fail(FAULT_INPUT, "MDAM_VK_MODELS: %s has no model for %s", folder, problem);
    static const char here; // in the library or in the program it is linked into
    Dl_info info;
    const char *library = dladdr(&here, &info) ? info.dli_fname : NULL;
    return find_above(path, library, problem) || find_above(path, "/proc/self/exe", problem) ||
           find_in(path, MDAM_MODELS, problem) || fail(FAULT_INPUT, "there is no model for %s", problem);
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
