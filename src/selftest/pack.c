#include "selftest/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <stb/stb_ds.h>

#include "checkpoint/import.h"
#include "checkpoint/weights_file.h"
#include "format/files.h"
#include "util/alloc.h"
#include "util/error.h"

static uint32_t path_count(const struct pack *pack)
{
    return pack->weights.config.M * pack->B;
}

struct pack_path *pack_paths(const struct pack *pack)
{
    return xcalloc(path_count(pack), sizeof(struct pack_path));
}

void pack_paths_finish(struct pack_path **paths, const struct pack *pack)
{
    for (uint32_t i = 0; *paths && i < path_count(pack); i++) {
        arrfree((*paths)[i].actions);
        arrfree((*paths)[i].log_p);
    }
    free(*paths);
    *paths = NULL;
}

uint32_t **pack_actions(const struct pack *pack, const struct pack_path *paths)
{
    uint32_t **actions = xcalloc(path_count(pack), sizeof *actions);
    for (uint32_t i = 0; i < path_count(pack); i++)
        actions[i] = paths[i].actions;
    return actions;
}

void pack_finish(struct pack *pack)
{
    pack_paths_finish(&pack->greedy, pack);
    pack_paths_finish(&pack->train, pack);
    for (uint32_t b = 0; b < pack->B; b++) {
        scaled_finish(&pack->scaled[b]);
        instance_finish(&pack->instances[b]);
    }
    arrfree(pack->instances);
    free(pack->scaled);
    free(pack->baseline);
    for (ptrdiff_t i = 0; i < arrlen(pack->beams); i++) {
        free(pack->beams[i].best);
        free(pack->beams[i].decoder);
    }
    arrfree(pack->beams);
    weights_finish(&pack->weights);
    weights_finish(&pack->gradient);
}

// --- values ---------------------------------------------------------------------------------------------------------

// Appends the numbers of nested arrays, in order.
static bool flatten(const json_t *value, double **list)
{
    if (json_is_number(value)) {
        arrput(*list, json_number_value(value));
        return true;
    }
    bool ok = json_is_array(value);
    for (size_t i = 0; ok && i < json_array_size(value); i++)
        ok = flatten(json_array_get(value, i), list);
    return ok;
}

// Reads COUNT numbers under KEY; the caller frees them.
static bool numbers(const json_t *object, const char *key, size_t count, double **to)
{
    double *list = NULL;
    bool ok = flatten(json_object_get(object, key), &list) && (size_t)arrlen(list) == count;
    if (ok) {
        *to = xcalloc(count, sizeof **to);
        memcpy(*to, list, count * sizeof **to);
    }
    arrfree(list);
    return ok || fail(FAULT_INPUT, "\"%s\" is not %zu numbers", key, count);
}

static bool number(const json_t *object, const char *key, double *to)
{
    const json_t *value = json_object_get(object, key);
    *to = json_number_value(value);
    return json_is_number(value) || fail(FAULT_INPUT, "\"%s\" is not a number", key);
}

static bool read_norm(const json_t *object, enum model_norm *norm)
{
    const char *name = json_string_value(json_object_get(object, "norm"));
    return (name && model_norm_by_name(name, norm)) || fail(FAULT_INPUT, "no normalisation");
}

static bool read_sequences(const struct pack *pack, const json_t *object, struct pack_path *paths)
{
    const json_t *decoders = json_object_get(object, "sequence");
    for (uint32_t i = 0; i < path_count(pack); i++) {
        double *list = NULL;
        uint32_t N = pack->scaled[i % pack->B].N;
        bool ok = flatten(json_array_get(json_array_get(decoders, i / pack->B), i % pack->B), &list);
        for (ptrdiff_t j = 0; ok && j < arrlen(list); j++) {
            ok = list[j] >= 0 && list[j] < N;
            arrput(paths[i].actions, ok ? (uint32_t)list[j] : 0);
        }
        arrfree(list);
        if (!ok)
            return fail(FAULT_INPUT, "sequence of decoder %u, instance %u", i / pack->B, i % pack->B);
    }
    return true;
}

// Reads costs and log-likelihoods; the latter are NaN if a pack has none.
static bool read_results(const struct pack *pack, const json_t *object, struct pack_path *paths)
{
    double *cost = NULL, *log_likelihood = NULL;
    bool known = json_object_get(object, "log_likelihood");
    bool ok = numbers(object, "cost", path_count(pack), &cost) &&
              (!known || numbers(object, "log_likelihood", path_count(pack), &log_likelihood));
    for (uint32_t i = 0; ok && i < path_count(pack); i++) {
        paths[i].cost = cost[i];
        paths[i].log_likelihood = known ? log_likelihood[i] : NAN;
    }
    free(cost);
    free(log_likelihood);
    return ok;
}

static bool read_greedy(struct pack *pack, const json_t *expected)
{
    const json_t *greedy = json_object_get(expected, "greedy");
    const json_t *first = json_object_get(expected, "first_step_log_p");
    pack->greedy = pack_paths(pack);
    if (!read_sequences(pack, greedy, pack->greedy) || !read_results(pack, greedy, pack->greedy) ||
        !number(greedy, "min_relative_margin", &pack->margin))
        return fail_within("greedy");
    for (uint32_t i = 0; i < path_count(pack); i++) {
        double **log_p = &pack->greedy[i].log_p;
        if (!flatten(json_array_get(json_array_get(first, i / pack->B), i % pack->B), log_p) ||
            arrlen(*log_p) != pack->scaled[i % pack->B].N)
            return fail(FAULT_INPUT, "first_step_log_p of decoder %u, instance %u", i / pack->B, i % pack->B);
    }
    return true;
}

static bool read_train(struct pack *pack, const json_t *expected)
{
    const json_t *train = json_object_get(expected, "train"), *steps = json_object_get(train, "step_log_p_decoder0");
    pack->train = pack_paths(pack);
    if (!read_sequences(pack, train, pack->train) || !read_results(pack, train, pack->train) ||
        !numbers(train, "baseline", pack->B, &pack->baseline) || !number(train, "kl", &pack->kl) ||
        !number(train, "kl_coefficient", &pack->kl_coefficient) || !number(train, "loss", &pack->loss) ||
        !number(train, "grad_norm", &pack->gradient_norm))
        return fail_within("train");
    for (uint32_t b = 0; b < pack->B; b++) {
        double **log_p = &pack->train[b].log_p;
        if (!flatten(json_array_get(steps, b), log_p) || arrlen(*log_p) % pack->scaled[b].N)
            return fail(FAULT_INPUT, "train: step_log_p_decoder0 of instance %u", b);
    }
    return true;
}

static bool read_beams(struct pack *pack, const json_t *expected)
{
    const json_t *beams = json_object_get(expected, "beam");
    pack->ties_as_ours = json_object_get(expected, "ties") != NULL;
    for (size_t i = 0; i < json_array_size(beams); i++) {
        const json_t *entry = json_array_get(beams, i);
        struct pack_beam beam = { .merge = json_is_true(json_object_get(entry, "merge")) };
        double width, expand;
        bool ok = read_norm(entry, &beam.norm) && number(entry, "width", &width) && number(entry, "expand", &expand) &&
                  numbers(entry, "best_cost", pack->B, &beam.best) &&
                  numbers(entry, "decoder_best_cost", path_count(pack), &beam.decoder);
        if (ok) {
            beam.width = (uint32_t)width;
            beam.expand = (uint32_t)expand;
        }
        arrput(pack->beams, beam);
        if (!ok)
            return fail_within("beam %zu", i);
    }
    return true;
}

// --- files ----------------------------------------------------------------------------------------------------------

static bool read_json(const char *folder, const char *name, json_t **to)
{
    char *path = xformat("%s/%s", folder, name);
    json_error_t error;
    *to = json_load_file(path, 0, &error);
    bool ok = *to || fail(FAULT_INPUT, "%s: line %d: %s", path, error.line, error.text);
    free(path);
    return ok;
}

static bool read_instances(struct pack *pack, const char *folder)
{
    char *path = xformat("%s/instances.json", folder);
    bool ok = instances_read(path, 100000, &pack->instances);
    pack->B = (uint32_t)arrlen(pack->instances);
    pack->scaled = xcalloc(pack->B, sizeof *pack->scaled);
    for (uint32_t b = 0; b < pack->B; b++)
        scaled_init(&pack->scaled[b], &pack->instances[b]);
    free(path);
    return ok;
}

// Reads STEM.safetensors, or the released program's STEM.pt.
static bool read_weights(struct weights *weights, const char *folder, const char *stem, enum model_norm norm)
{
    char *path = xformat("%s/%s.safetensors", folder, stem), *args = xformat("%s/args.json", folder), **notes = NULL;
    bool ours = !access(path, F_OK);
    if (!ours) {
        free(path);
        path = xformat("%s/%s.pt", folder, stem);
    }
    bool ok = ours ? weights_load(path, weights) : import_checkpoint(path, args, weights, &notes);
    if (ok && weights->config.norm != norm)
        ok = fail(FAULT_INPUT, "%s: normalisation \"%s\" instead of \"%s\"", path,
            model_norm_name(weights->config.norm), model_norm_name(norm));
    for (ptrdiff_t i = 0; i < arrlen(notes); i++)
        free(notes[i]);
    arrfree(notes);
    free(path);
    free(args);
    return ok;
}

bool pack_read(struct pack *pack, const char *folder)
{
    *pack = (struct pack){ 0 };
    json_t *expected = NULL;
    enum model_norm norm;
    bool ok = read_instances(pack, folder) && read_json(folder, "expected.json", &expected) &&
              read_norm(expected, &norm) && read_weights(&pack->weights, folder, "model", norm) &&
              read_weights(&pack->gradient, folder, "grad", norm) && read_greedy(pack, expected) &&
              read_train(pack, expected) && read_beams(pack, expected);
    json_decref(expected);
    if (ok && pack->instances[0].problem != pack->weights.config.problem)
        ok = fail(FAULT_INPUT, "instances and model of different problems");
    return ok || fail_within("%s", folder);
}
