// Writes the files of our own packs.
#include <stdlib.h>

#include <jansson.h>
#include <stb/stb_ds.h>

#include "checkpoint/weights_file.h"
#include "format/json.h"
#include "selftest/pack.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"

// --- JSON -----------------------------------------------------------------------------------------------------------

// Returns [decoder][instance] of the function OF for each path.
static json_t *by_path(const struct pack *pack, const struct pack_path *paths, json_t *(*of)(const struct pack_path *))
{
    json_t *decoders = json_array();
    for (uint32_t m = 0; m < pack->weights.config.M; m++) {
        json_t *row = json_array();
        for (uint32_t b = 0; b < pack->B; b++)
            json_array_append_new(row, of(&paths[m * pack->B + b]));
        json_array_append_new(decoders, row);
    }
    return decoders;
}

static json_t *numbers(const double *list, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_real(list[i]));
    return array;
}

static json_t *cost_of(const struct pack_path *path)
{
    return json_real(path->cost);
}

static json_t *log_likelihood_of(const struct pack_path *path)
{
    return json_real(path->log_likelihood);
}

static json_t *log_p_of(const struct pack_path *path)
{
    return numbers(path->log_p, (size_t)arrlen(path->log_p));
}

static json_t *sequence_of(const struct pack_path *path)
{
    json_t *array = json_array();
    for (ptrdiff_t j = 0; j < arrlen(path->actions); j++)
        json_array_append_new(array, json_integer(path->actions[j]));
    return array;
}

static json_t *steps_json(const struct pack *pack)
{
    json_t *array = json_array();
    for (uint32_t b = 0; b < pack->B; b++) {
        json_t *steps = json_array();
        const uint32_t N = pack->scaled[b].N;
        for (ptrdiff_t k = 0; k < arrlen(pack->train[b].log_p); k += N)
            json_array_append_new(steps, numbers(pack->train[b].log_p + k, N));
        json_array_append_new(array, steps);
    }
    return array;
}

static json_t *beams_json(const struct pack *pack)
{
    json_t *array = json_array();
    const uint32_t M = pack->weights.config.M, B = pack->B;
    for (ptrdiff_t i = 0; i < arrlen(pack->beams); i++) {
        const struct pack_beam *beam = &pack->beams[i];
        json_t *decoders = json_array();
        for (uint32_t m = 0; m < M; m++)
            json_array_append_new(decoders, numbers(beam->decoder + m * B, B));
        json_array_append_new(
            array, json_pack("{s:s, s:i, s:i, s:b, s:o, s:o}", "norm", model_norm_name(beam->norm), "width",
                       (int)beam->width, "expand", (int)beam->expand, "merge", (int)beam->merge, "best_cost",
                       numbers(beam->best, B), "decoder_best_cost", decoders));
    }
    return array;
}

static json_t *expected_json(const struct pack *pack)
{
    const struct config *config = &pack->weights.config;
    json_t *root = json_pack("{s:s, s:s, s:i, s:i, s:s}", "norm", model_norm_name(config->norm), "dialect",
        dialect_name(config->dialect), "eg_period", (int)config->p, "decoders", (int)config->M, "ties", "lower");
    json_object_set_new(root, "greedy",
        json_pack("{s:f, s:o, s:o, s:o}", "min_relative_margin", pack->margin, "log_likelihood",
            by_path(pack, pack->greedy, log_likelihood_of), "cost", by_path(pack, pack->greedy, cost_of), "sequence",
            by_path(pack, pack->greedy, sequence_of)));
    json_object_set_new(root, "first_step_log_p", by_path(pack, pack->greedy, log_p_of));
    json_object_set_new(root, "train",
        json_pack("{s:f, s:o, s:o, s:o, s:o, s:f, s:f, s:o, s:f}", "kl_coefficient", pack->kl_coefficient, "baseline",
            numbers(pack->baseline, pack->B), "sequence", by_path(pack, pack->train, sequence_of), "cost",
            by_path(pack, pack->train, cost_of), "log_likelihood", by_path(pack, pack->train, log_likelihood_of), "kl",
            pack->kl, "loss", pack->loss, "step_log_p_decoder0", steps_json(pack), "grad_norm", pack->gradient_norm));
    json_object_set_new(root, "beam", beams_json(pack));
    return root;
}

// --- files ----------------------------------------------------------------------------------------------------------

static bool write_file(const char *folder, const char *name, const char *data, size_t size)
{
    char *path = xformat("%s/%s", folder, name);
    bool ok = file_write(path, data, size);
    free(path);
    return ok;
}

static bool save(const char *folder, const char *name, const struct weights *weights)
{
    char *path = xformat("%s/%s", folder, name);
    bool ok = weights_save(path, weights);
    free(path);
    return ok;
}

bool pack_write(const struct pack *pack, const char *folder)
{
    struct text text = { 0 };
    text_add(&text, "{\"instances\": [");
    for (uint32_t b = 0; b < pack->B; b++) {
        text_add(&text, b ? ",\n" : "\n");
        instance_to_json(&text, &pack->instances[b]);
    }
    text_add(&text, "]}\n");
    json_t *expected = expected_json(pack);
    char *dumped = json_dumps(expected, JSON_REAL_PRECISION(12));
    if (!dumped)
        bug("a pack with numbers that JSON has not");
    struct text lines = { 0 };
    text_add(&lines, "%s\n", dumped);
    bool ok = file_make_folder(folder) && write_file(folder, "instances.json", text.data, text.size) &&
              write_file(folder, "expected.json", lines.data, lines.size) &&
              save(folder, "model.safetensors", &pack->weights) && save(folder, "grad.safetensors", &pack->gradient);
    text_finish(&text);
    text_finish(&lines);
    free(dumped);
    json_decref(expected);
    return ok;
}
