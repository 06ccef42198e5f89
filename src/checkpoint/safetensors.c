#include "checkpoint/safetensors.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "model/params.h"
#include "util/error.h"
#include "util/hash.h"
#include "util/json_text.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files have the byte order of memory");

#define HEADER_MAX   (1 << 20)
#define LENGTH_BYTES 8

static void add_shape(struct text *text, const struct tensor *shape)
{
    for (int k = 0; k < shape->rank; k++)
        text_add(text, "%s%u", k ? "," : "", shape->dim[k]);
}

// An item of the checksum: a string of the metadata, or a tensor.
struct item {
    const char *name, *text; // text is NULL for tensors:
    const struct tensor *shape;
    const void *data;
};

static int by_name(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (!x->text != !y->text)
        return x->text ? -1 : 1;
    return strcmp(x->name, y->name);
}

// Sorts the items by name, so that their order in the file does not matter. ITEMS is an stb_ds array, which is freed.
static uint64_t checksum(struct item *items)
{
    if (items)
        qsort(items, arrlenu(items), sizeof *items, by_name);
    uint64_t hash = HASH_START;
    for (ptrdiff_t i = 0; i < arrlen(items); i++) {
        const struct item *item = &items[i];
        hash = hash_add(hash, item->name, strlen(item->name) + 1);
        if (item->text) {
            hash = hash_add(hash, item->text, strlen(item->text) + 1);
        } else {
            uint32_t rank = (uint32_t)item->shape->rank;
            hash = hash_add(hash, &rank, sizeof rank);
            hash = hash_add(hash, item->shape->dim, rank * sizeof *item->shape->dim);
            hash = hash_add(hash, item->data, 4 * tensor_count(item->shape));
        }
    }
    arrfree(items);
    return hash;
}

static uint64_t checksum_of(
    const struct pair *pairs, size_t pair_count, const struct named *tensors, size_t count, const float *values)
{
    struct item *items = NULL;
    for (size_t i = 0; i < pair_count; i++)
        arrput(items, ((struct item){ pairs[i].key, pairs[i].value, NULL, NULL }));
    for (size_t i = 0; i < count; i++) {
        arrput(items, ((struct item){ tensors[i].name, NULL, &tensors[i].tensor, values }));
        values += tensor_count(&tensors[i].tensor);
    }
    return checksum(items);
}

void safetensors_header(struct text *text, const struct pair *pairs, size_t pair_count, const struct named *tensors,
    size_t count, const float *values)
{
    struct text json = { 0 };
    text_add(&json, "{\"__metadata__\":{");
    for (size_t i = 0; i < pair_count; i++)
        text_add(&json, "\"%s\":\"%s\",", pairs[i].key, pairs[i].value);
    text_add(&json, "\"checksum\":\"%016" PRIx64 "\"}", checksum_of(pairs, pair_count, tensors, count, values));
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = 4 * tensor_count(&tensors[i].tensor);
        text_add(&json, ",\"%s\":{\"dtype\":\"F32\",\"shape\":[", tensors[i].name);
        add_shape(&json, &tensors[i].tensor);
        text_add(&json, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", at, at + bytes);
        at += bytes;
    }
    text_add(&json, "}");
    while (json.size % 8) // aligns the data
        text_add(&json, " ");
    uint64_t length = json.size;
    for (int i = 0; i < LENGTH_BYTES; i++)
        text_add(text, "%c", (char)(length >> 8 * i));
    text_add(text, "%s", json.data);
    text_finish(&json);
}

static bool read_shape(json_t *shape, struct tensor *tensor)
{
    if (!json_is_array(shape))
        return fail(FAULT_INPUT, "shape: must be an array, not %s", json_kind(shape));
    if (json_array_size(shape) > sizeof tensor->dim / sizeof *tensor->dim)
        return fail(FAULT_INPUT, "shape: %zu dimensions are too many", json_array_size(shape));
    tensor->rank = (int)json_array_size(shape);
    uint64_t count = 1;
    for (int k = 0; k < tensor->rank; k++) {
        json_t *value = json_array_get(shape, (size_t)k);
        json_int_t dim = json_integer_value(value);
        if (!json_is_integer(value) || dim < 0 || dim > UINT32_MAX)
            return fail(FAULT_INPUT, "shape: dimension %d must be a whole number below 2^32", k);
        tensor->dim[k] = (uint32_t)dim;
        if (__builtin_mul_overflow(count, (uint64_t)dim, &count) || count > UINT64_MAX / 4)
            return fail(FAULT_INPUT, "shape: too many elements");
    }
    return true;
}

static bool read_offsets(json_t *offsets, uint64_t size, struct stored *stored)
{
    if (!json_is_array(offsets) || json_array_size(offsets) != 2 || !json_is_integer(json_array_get(offsets, 0)) ||
        !json_is_integer(json_array_get(offsets, 1)))
        return fail(FAULT_INPUT, "data_offsets must be two whole numbers");
    json_int_t begin = json_integer_value(json_array_get(offsets, 0));
    json_int_t end = json_integer_value(json_array_get(offsets, 1));
    if (begin < 0 || end < begin || (uint64_t)end > size)
        return fail(FAULT_INPUT, "bytes %lld..%lld exceed the %llu bytes of data", (long long)begin, (long long)end,
            (unsigned long long)size);
    stored->begin = (uint64_t)begin;
    stored->end = (uint64_t)end;
    if (4 * tensor_count(&stored->shape) != stored->end - stored->begin)
        return fail(FAULT_INPUT, "%llu bytes of data do not match %llu numbers of 4 bytes",
            (unsigned long long)(stored->end - stored->begin), (unsigned long long)tensor_count(&stored->shape));
    return true;
}

static bool read_tensor(struct safetensors *file, const char *name, json_t *value)
{
    struct stored stored = { .name = name };
    if (!json_is_object(value))
        return fail(FAULT_INPUT, "tensor must be an object, not %s", json_kind(value));
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member)
    {
        if (strcmp(key, "dtype") && strcmp(key, "shape") && strcmp(key, "data_offsets"))
            return fail(FAULT_INPUT, "unknown key \"%.40s\"", key);
    }
    const char *type = json_string_value(json_object_get(value, "dtype"));
    if (!type)
        return fail(FAULT_INPUT, "dtype is required");
    if (strcmp(type, "F32"))
        return fail(FAULT_INPUT, "dtype must be F32, not \"%.20s\"", type);
    if (!read_shape(json_object_get(value, "shape"), &stored.shape) ||
        !read_offsets(json_object_get(value, "data_offsets"), file->size, &stored))
        return false;
    arrput(file->tensors, stored);
    return true;
}

static int by_offset(const void *a, const void *b)
{
    const struct stored *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

// Each byte of the data must belong to exactly one tensor.
static bool check_cover(struct safetensors *file)
{
    if (file->tensors)
        qsort(file->tensors, arrlenu(file->tensors), sizeof *file->tensors, by_offset);
    uint64_t covered = 0;
    for (ptrdiff_t i = 0; i < arrlen(file->tensors); i++) {
        const struct stored *tensor = &file->tensors[i];
        if (tensor->begin < covered)
            return fail(FAULT_INPUT, "%.60s: its data overlaps that of %.60s", tensor->name, tensor[-1].name);
        if (tensor->begin > covered)
            return fail(FAULT_INPUT, "%.60s: the %llu bytes before its data belong to no tensor", tensor->name,
                (unsigned long long)(tensor->begin - covered));
        covered = tensor->end;
    }
    const uint64_t left = file->size - covered;
    if (left == 1)
        return fail(FAULT_INPUT, "the last byte of the data belongs to no tensor");
    return !left || fail(FAULT_INPUT, "the last %llu bytes of the data belong to no tensor", (unsigned long long)left);
}

uint64_t safetensors_checksum(const struct safetensors *file)
{
    struct item *items = NULL;
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(file->header, "__metadata__"), key, value)
    {
        if (strcmp(key, "checksum"))
            arrput(items, ((struct item){ key, json_string_value(value), NULL, NULL }));
    }
    for (ptrdiff_t i = 0; i < arrlen(file->tensors); i++) {
        const struct stored *stored = &file->tensors[i];
        arrput(items, ((struct item){ stored->name, NULL, &stored->shape, file->data + stored->begin }));
    }
    return checksum(items);
}

static bool read_header(struct safetensors *file, json_t *header)
{
    if (!json_is_object(header))
        return fail(FAULT_INPUT, "header: must be an object, not %s", json_kind(header));
    const char *name;
    json_t *value;
    json_object_foreach(header, name, value)
    {
        if (strcmp(name, "__metadata__") && !read_tensor(file, name, value))
            return fail_within("%.60s", name);
    }
    json_t *metadata = json_object_get(header, "__metadata__");
    if (!json_is_object(metadata))
        return fail(FAULT_INPUT, "metadata is required");
    json_object_foreach(metadata, name, value)
    {
        if (!json_is_string(value))
            return fail(FAULT_INPUT, "metadata \"%.40s\": must be a string, not %s", name, json_kind(value));
    }
    return true;
}

static bool parse_header(struct safetensors *file, const char *data, size_t size)
{
    struct json_text text;
    json_text_init(&text, data, size);
    if (!json_text_next(&text, &file->header))
        return fail_within("header");
    if (!file->header || text.at != text.size || data[0] != '{')
        return fail(FAULT_INPUT, "header: must be one JSON object");
    return true;
}

bool safetensors_parse(struct safetensors *file, const char *data, size_t size)
{
    *file = (struct safetensors){ 0 };
    if (size < LENGTH_BYTES)
        return fail(FAULT_INPUT, "%zu bytes are too few for a safetensors file", size);
    uint64_t length;
    memcpy(&length, data, LENGTH_BYTES);
    if (length > size - LENGTH_BYTES)
        return fail(FAULT_INPUT, "not a safetensors file, or truncated: header of %llu bytes in a file of %zu",
            (unsigned long long)length, size);
    if (length > HEADER_MAX)
        return fail(
            FAULT_INPUT, "header of %llu bytes exceeds the limit of %d", (unsigned long long)length, HEADER_MAX);
    file->data = data + LENGTH_BYTES + length;
    file->size = size - LENGTH_BYTES - length;
    if (parse_header(file, data + LENGTH_BYTES, (size_t)length) && read_header(file, file->header) && check_cover(file))
        return true;
    safetensors_finish(file);
    return false;
}

void safetensors_finish(struct safetensors *file)
{
    json_decref(file->header);
    arrfree(file->tensors);
    *file = (struct safetensors){ 0 };
}

const struct stored *safetensors_find(const struct safetensors *file, const char *name)
{
    for (ptrdiff_t i = 0; i < arrlen(file->tensors); i++) {
        if (!strcmp(file->tensors[i].name, name))
            return &file->tensors[i];
    }
    return NULL;
}

const char *safetensors_text(const struct safetensors *file, const char *key)
{
    return json_string_value(json_object_get(json_object_get(file->header, "__metadata__"), key));
}
