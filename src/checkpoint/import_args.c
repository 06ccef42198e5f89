// Reads args.json, the command-line options that the released programs write beside their checkpoints. Options that do
// not concern the model are ignored.
#include <string.h>

#include "checkpoint/import.h"
#include "util/error.h"
#include "util/json_text.h"

// Reads an optional whole number from 1 under the key.
static bool read_count(json_t *object, const char *key, uint32_t *count)
{
    json_t *value = json_object_get(object, key);
    int64_t number;
    if (!value || json_is_null(value))
        return true;
    if (!json_whole(value, &number) || number < 1 || number > 1000000)
        return json_fail_key(key, "must be a whole number from 1 to 1000000");
    *count = (uint32_t)number;
    return true;
}

// Reads an optional text under the key.
static bool read_text(json_t *object, const char *key, const char **text)
{
    json_t *value = json_object_get(object, key);
    *text = json_string_value(value);
    return !value || json_is_null(value) || *text ||
           fail(FAULT_INPUT, "/%s: must be a text, not %s", key, json_kind(value));
}

// Accepts "op", and "op_dist" with the kind of prizes.
static bool is_called(const char *text, const struct problem *problem, struct import_args *args)
{
    size_t size = problem->released ? strlen(problem->released) : 0;
    if (!size || strncmp(text, problem->released, size))
        return false;
    if (!text[size])
        return true;
    return problem->prize_kinds && text[size] == '_' &&
           (args->has_prize = prize_kind_by_name(text + size + 1, &args->prize));
}

static bool read_problem(json_t *object, struct import_args *args)
{
    const char *text, *kind;
    if (!read_text(object, "problem", &text) || !read_text(object, "data_distribution", &kind))
        return false;
    for (const struct problem *const *problem = problems; text && *problem && !args->problem; problem++) {
        if (is_called(text, *problem, args))
            args->problem = *problem;
    }
    if (text && !args->problem)
        return fail(FAULT_INPUT, "/problem: \"%.40s\" is not a problem of the released programs", text);
    if (kind && args->problem && args->problem->prize_kinds) {
        if (!prize_kind_by_name(kind, &args->prize))
            return fail(FAULT_INPUT, "/data_distribution: \"%.40s\" is not a prize distribution", kind);
        args->has_prize = true;
    }
    return true;
}

static bool read_args(json_t *object, struct import_args *args)
{
    if (!json_is_object(object))
        return fail(FAULT_INPUT, "must be an object, not %s", json_kind(object));
    const char *normalization;
    if (!read_problem(object, args) || !read_count(object, "graph_size", &args->n) ||
        !read_count(object, "n_EG", &args->p) || !read_count(object, "n_paths", &args->M) ||
        !read_count(object, "embedding_dim", &args->D) || !read_count(object, "n_encode_layers", &args->L) ||
        !read_text(object, "normalization", &normalization))
        return false;
    args->batch = normalization && !strcmp(normalization, "batch");
    args->instance = normalization && !strcmp(normalization, "instance");
    return !normalization || args->batch || args->instance ||
           fail(FAULT_INPUT, "/normalization: \"%.40s\" is neither \"batch\" nor \"instance\"", normalization);
}

bool import_args_parse(const char *data, size_t size, struct import_args *args)
{
    *args = (struct import_args){ 0 };
    struct json_text text;
    json_text_init(&text, data, size);
    json_t *object;
    if (!json_text_next(&text, &object))
        return false;
    if (!object)
        return fail(FAULT_INPUT, "the file is empty");
    bool ok = (text.at == text.size || fail(FAULT_INPUT, "more than one value")) && read_args(object, args);
    json_decref(object);
    return ok;
}
