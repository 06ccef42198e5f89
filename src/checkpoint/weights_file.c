#include "checkpoint/weights_file.h"

// Model files. The metadata of format version 2, all of it strings:
//
//   format_version  "2"
//   tool            program and version that wrote it
//   problem         its name
//   dialect, norm   as in config.h
//   D H F L M p O   sizes
//   trained_n         "20..50": customers of the instances it was trained on; absent when not known
//   trained_capacity  "30..40"; absent for the published capacities
//   trained_prize     "dist", ..; problems with a choice of prizes
//   trained_length    "2..4"; absent for the published length limits
//   trained_layout    "cluster", ..; absent for uniform
//   instances       seen in training
//   validation      objective, the problem's own sign; absent without validation
//   best_decoder    counted from 0
// checksum        of metadata, names, shapes and data; in version 1, which is also accepted, of the data alone
//
// The tensors are those of params_list() and stats_list().
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "checkpoint/safetensors.h"
#include "problem/generate.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/scan.h"

#define FORMAT_VERSION "2"
#define DATA_VERSION   "1"               // has a checksum of the data alone
#define MODEL_BYTES    ((size_t)1 << 32) // max size of a file

// Sizes of a configuration; their names are the keys.
#define SIZES(X) X(D) X(H) X(F) X(L) X(M) X(p) X(O)

static void put(struct pair **pairs, const char *key, char *value)
{
    arrput(*pairs, ((struct pair){ key, value }));
}

static char *range_text(uint64_t from, uint64_t to)
{
    return xformat("%" PRIu64 "..%" PRIu64, from, to);
}

static char *real_text(double value)
{
    struct text text = { 0 };
    text_add_real(&text, value);
    return text.data;
}

static char *reals_text(double from, double to)
{
    struct text text = { 0 };
    text_add_real(&text, from);
    text_add(&text, "..");
    text_add_real(&text, to);
    return text.data;
}

static struct pair *describe(const struct config *c)
{
    struct pair *pairs = NULL;
    put(&pairs, "format_version", xstrdup(FORMAT_VERSION));
    put(&pairs, "tool", xstrdup("mdam-vk " MDAM_VERSION));
    put(&pairs, "problem", xstrdup(c->problem->name));
    put(&pairs, "dialect", xstrdup(dialect_name(c->dialect)));
    put(&pairs, "norm", xstrdup(model_norm_name(c->norm)));
#define PUT_SIZE(size) put(&pairs, #size, xformat("%u", c->size));
    SIZES(PUT_SIZE)
    if (c->trained.n_max)
        put(&pairs, "trained_n", range_text(c->trained.n_min, c->trained.n_max));
    if (c->trained.capacity_max)
        put(&pairs, "trained_capacity",
            range_text((uint64_t)c->trained.capacity_min, (uint64_t)c->trained.capacity_max));
    if (c->problem->prize_kinds)
        put(&pairs, "trained_prize", xstrdup(prize_kind_name(c->trained.prize)));
    if (c->trained.length_max > 0)
        put(&pairs, "trained_length", reals_text(c->trained.length_min, c->trained.length_max));
    if (c->trained.layout != NODES_UNIFORM)
        put(&pairs, "trained_layout", xstrdup(node_layout_name(c->trained.layout)));
    put(&pairs, "instances", xformat("%" PRIu64, c->instances));
    if (c->has_validation)
        put(&pairs, "validation", real_text(c->validation));
    put(&pairs, "best_decoder", xformat("%u", c->best_decoder));
    return pairs;
}

bool weights_save(const char *path, const struct weights *weights)
{
    struct named *list = weights_list(weights);
    struct pair *pairs = describe(&weights->config);
    struct text header = { 0 };
    safetensors_header(&header, pairs, arrlenu(pairs), list, arrlenu(list), weights->values);
    struct file_out out;
    bool ok = file_out_open(&out, path);
    if (ok) {
        ok = file_out_add(&out, header.data, header.size) &&
             file_out_add(&out, weights->values, weights->count * sizeof *weights->values) && file_out_close(&out);
        file_out_abandon(&out);
    }
    for (ptrdiff_t i = 0; i < arrlen(pairs); i++)
        free((char *)pairs[i].value);
    arrfree(pairs);
    arrfree(list);
    text_finish(&header);
    return ok;
}

static const char *required(const struct safetensors *file, const char *key)
{
    const char *value = safetensors_text(file, key);
    if (!value)
        fail(FAULT_INPUT, "metadata \"%s\" is required", key);
    return value;
}

static bool absurd(const char *key, const char *value, const char *expected)
{
    return fail(FAULT_INPUT, "metadata \"%s\": \"%.40s\" is not %s", key, value, expected);
}

static bool read_whole(const struct safetensors *file, const char *key, uint64_t max, uint64_t *number)
{
    const char *value = required(file, key);
    int64_t integer;
    if (!value)
        return false;
    if (!span_integer(span_of(value), &integer) || integer < 0 || (uint64_t)integer > max)
        return absurd(key, value, "a whole number in bounds");
    *number = (uint64_t)integer;
    return true;
}

static bool read_size(const struct safetensors *file, const char *key, uint32_t *size)
{
    uint64_t number = 0;
    if (!read_whole(file, key, UINT32_MAX, &number))
        return false;
    *size = (uint32_t)number;
    return true;
}

// Reads "A..B"; 0, 0 if the key is absent.
static bool read_range(const struct safetensors *file, const char *key, int64_t *from, int64_t *to)
{
    const char *value = safetensors_text(file, key), *dots = value ? strstr(value, "..") : NULL;
    *from = *to = 0;
    if (!value)
        return true;
    if (!dots || !span_integer((struct span){ value, (size_t)(dots - value) }, from) ||
        !span_integer(span_of(dots + 2), to) || *from < 1 || *to < *from || *to > UINT32_MAX)
        return absurd(key, value, "a range A..B");
    return true;
}

// The same of reals, which are not negative.
static bool read_reals(const struct safetensors *file, const char *key, double *from, double *to)
{
    const char *value = safetensors_text(file, key), *dots = value ? strstr(value, "..") : NULL;
    *from = *to = 0;
    if (!value)
        return true;
    if (!dots || !span_real((struct span){ value, (size_t)(dots - value) }, from) ||
        !span_real(span_of(dots + 2), to) || !(*from >= 0) || !(*to >= *from))
        return absurd(key, value, "a range A..B");
    return true;
}

static bool read_trained(const struct safetensors *file, struct config *c)
{
    int64_t from, to;
    struct distribution *trained = &c->trained;
    if (!read_range(file, "trained_n", &from, &to))
        return false;
    trained->n_min = (uint32_t)from;
    trained->n_max = (uint32_t)to;
    if (!read_range(file, "trained_capacity", &trained->capacity_min, &trained->capacity_max))
        return false;
    if (c->problem->prize_kinds) {
        const char *prize = required(file, "trained_prize");
        if (!prize || !prize_kind_by_name(prize, &trained->prize))
            return prize && absurd("trained_prize", prize, "a kind of prizes");
    }
    const char *layout = safetensors_text(file, "trained_layout");
    if (layout && !node_layout_by_name(layout, &trained->layout))
        return absurd("trained_layout", layout, "a layout");
    if (!read_reals(file, "trained_length", &trained->length_min, &trained->length_max))
        return false;
    return !trained->n_max || generate_check(c->problem, trained) || fail_within("metadata \"trained_n\"");
}

static bool read_kind(const struct safetensors *file, struct config *c)
{
    const char *version = required(file, "format_version");
    if (!version)
        return fail_within("not a model of mdam-vk");
    if (strcmp(version, FORMAT_VERSION) && strcmp(version, DATA_VERSION))
        return fail(FAULT_INPUT,
            "format version %.20s; this program reads versions " DATA_VERSION " and " FORMAT_VERSION, version);
    const char *problem = required(file, "problem"), *dialect, *norm;
    if (!problem)
        return false;
    c->problem = problem_by_name(problem);
    if (!c->problem)
        return absurd("problem", problem, "a problem's name");
    if (!(dialect = required(file, "dialect")) || !(norm = required(file, "norm")))
        return false;
    if (!dialect_by_name(dialect, &c->dialect))
        return absurd("dialect", dialect, "a dialect");
    return model_norm_by_name(norm, &c->norm) || absurd("norm", norm, "a normalisation");
}

static bool read_config(const struct safetensors *file, struct config *c)
{
    *c = (struct config){ 0 };
    if (!read_kind(file, c))
        return false;
#define READ_SIZE(size)                                                                                                \
    if (!read_size(file, #size, &c->size))                                                                             \
        return false;
    SIZES(READ_SIZE)
    const char *validation = safetensors_text(file, "validation");
    c->has_validation = validation;
    if (validation && !span_real(span_of(validation), &c->validation))
        return absurd("validation", validation, "a number");
    return read_whole(file, "instances", INT64_MAX, &c->instances) &&
           read_size(file, "best_decoder", &c->best_decoder) && config_check(c) && read_trained(file, c);
}

// Requires exactly the tensors of the configuration: names and shapes.
static bool check_tensors(const struct safetensors *file, const struct named *list)
{
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        const struct stored *stored = safetensors_find(file, list[i].name);
        const struct tensor *expected = &list[i].tensor;
        if (!stored)
            return fail(FAULT_INPUT, "%s: missing", list[i].name);
        if (stored->shape.rank != expected->rank ||
            memcmp(stored->shape.dim, expected->dim, sizeof expected->dim[0] * (size_t)expected->rank)) {
            char shape[2][TENSOR_SHAPE_TEXT];
            return fail(FAULT_INPUT, "%s: shape is %s, must be %s", stored->name,
                tensor_shape(&stored->shape, shape[0]), tensor_shape(expected, shape[1]));
        }
    }
    for (ptrdiff_t i = 0; i < arrlen(file->tensors); i++) {
        ptrdiff_t k = 0;
        while (k < arrlen(list) && strcmp(list[k].name, file->tensors[i].name))
            k++;
        if (k == arrlen(list))
            return fail(FAULT_INPUT, "%.60s: not a tensor of this model", file->tensors[i].name);
    }
    return true;
}

// WEIGHTS holds the values in the order of a file of version 1.
static bool check_sum(const struct safetensors *file, const struct weights *weights)
{
    const char *given = required(file, "checksum");
    if (!given)
        return false;
    bool data_alone = !strcmp(safetensors_text(file, "format_version"), DATA_VERSION);
    char expected[17];
    snprintf(expected, sizeof expected, "%016" PRIx64,
        data_alone ? hash_bytes(weights->values, weights->count * sizeof *weights->values)
                   : safetensors_checksum(file));
    return !strcmp(given, expected) ||
           fail(FAULT_INPUT, "the model is damaged: its checksum is %s and should be %.20s", expected, given);
}

static bool read_tensors(const struct safetensors *file, const struct config *config, struct weights *weights)
{
    struct weights shapes = { .config = *config }; // allocated only after the file is known to have the values
    params_layout_host(&shapes.params, &shapes.stats, config);
    struct named *list = weights_list(&shapes);
    bool ok = check_tensors(file, list);
    if (ok) {
        weights_init(weights, config);
        for (ptrdiff_t i = 0; i < arrlen(list); i++) {
            const struct stored *stored = safetensors_find(file, list[i].name);
            memcpy(weights_at(weights, list[i].tensor), file->data + stored->begin, stored->end - stored->begin);
        }
        ok = check_sum(file, weights) && weights_check(weights);
        if (!ok)
            weights_finish(weights);
    }
    arrfree(list);
    return ok;
}

bool weights_parse(const char *data, size_t size, struct weights *weights)
{
    *weights = (struct weights){ 0 };
    struct safetensors file;
    if (!safetensors_parse(&file, data, size))
        return false;
    struct config config;
    bool ok = read_config(&file, &config) && read_tensors(&file, &config, weights);
    safetensors_finish(&file);
    return ok;
}

bool weights_load(const char *path, struct weights *weights)
{
    *weights = (struct weights){ 0 };
    char *data;
    size_t size;
    if (!file_read(path, MODEL_BYTES, &data, &size))
        return false;
    bool ok = weights_parse(data, size, weights) || fail_within("%s", file_shown(path));
    free(data);
    if (ok) {
        const char *slash = strrchr(path, '/');
        weights->name = xstrdup(slash ? slash + 1 : path);
    }
    return ok;
}
