#include "archive/pickle_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "util/alloc.h"
#include "util/error.h"

// Memory for the values of one file: a long one has numbers of nine bytes, which take 40 here.
#define MEMORY_MAX   ((uint64_t)1 << 29)
#define MEMORY_RATIO 8
#define CHUNK        ((size_t)1 << 16)
#define KEY_MAX      64 // bytes of a storage's key

bool pickle_fail(const struct pickle *p, const char *format, ...)
{
    char sentence[512];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return fail(FAULT_INPUT, "byte %zu: %s", p->at, sentence);
}

bool pickle_spend(struct pickle *p, size_t bytes)
{
    uint64_t ratio = MEMORY_RATIO * (uint64_t)p->size, max = ratio > MEMORY_MAX ? ratio : MEMORY_MAX;
    p->spent += bytes;
    return p->spent <= max || pickle_fail(p, "objects need more than %llu MiB", (unsigned long long)(max >> 20));
}

void *pickle_allocate(struct pickle *p, size_t bytes)
{
    bytes = bytes ? (bytes + 7) / 8 * 8 : 8;
    if (!pickle_spend(p, bytes))
        return NULL;
    size_t size = bytes > CHUNK ? bytes : CHUNK; // a large value gets a chunk of its own
    if (bytes > p->chunk_left) {
        arrput(p->chunks, xcalloc(size, 1));
        p->chunk_left = size;
    }
    char *memory = arrlast(p->chunks) + (size - p->chunk_left);
    p->chunk_left -= bytes;
    return memory;
}

struct pickle_value *pickle_value(struct pickle *p, enum pickle_kind kind)
{
    struct pickle_value *value = pickle_allocate(p, sizeof *value);
    if (value)
        value->kind = kind;
    return value;
}

bool pickle_add(struct pickle *p, struct pickle_value *container, struct pickle_value *item)
{
    if (!pickle_spend(p, 2 * sizeof item)) // arrays double
        return false;
    if (!container->items)
        arrput(p->containers, container);
    arrput(container->items, item);
    return true;
}

const struct pickle_value *pickle_get(const struct pickle_value *dict, const char *key)
{
    for (size_t i = dict && dict->kind == PICKLE_DICT ? arrlenu(dict->items) : 0; i >= 2; i -= 2) {
        if (pickle_text_is(dict->items[i - 2], key))
            return dict->items[i - 1];
    }
    return NULL;
}

bool pickle_text_is(const struct pickle_value *value, const char *text)
{
    return value->kind == PICKLE_TEXT && value->count == strlen(text) && !memcmp(value->text, text, value->count);
}

// --- interpreted names ---------------------------------------------------------------------------------------------

enum meaning { ORDERED_DICT, REBUILD_TENSOR, REBUILD_PARAMETER, STORAGE };

static const struct global {
    const char *module, *name;
    enum meaning meaning;
    enum element element;
    uint32_t bytes;
} globals[] = {
    { "collections", "OrderedDict", ORDERED_DICT },
    { "torch._utils", "_rebuild_tensor", REBUILD_TENSOR },
    { "torch._utils", "_rebuild_tensor_v2", REBUILD_TENSOR },
    { "torch._utils", "_rebuild_parameter", REBUILD_PARAMETER },
    { "torch", "FloatStorage", STORAGE, ELEMENT_FLOAT, 4 },
    { "torch", "DoubleStorage", STORAGE, ELEMENT_DOUBLE, 8 },
    { "torch", "LongStorage", STORAGE, ELEMENT_SIGNED, 8 },
    { "torch", "IntStorage", STORAGE, ELEMENT_SIGNED, 4 },
    { "torch", "ShortStorage", STORAGE, ELEMENT_SIGNED, 2 },
    { "torch", "CharStorage", STORAGE, ELEMENT_SIGNED, 1 },
    { "torch", "ByteStorage", STORAGE, ELEMENT_UNSIGNED, 1 },
    { "torch", "BoolStorage", STORAGE, ELEMENT_UNSIGNED, 1 },
    // Only their size is needed, to find the data that follows them in a legacy file.
    { "torch", "HalfStorage", STORAGE, ELEMENT_OTHER, 2 },
    { "torch", "BFloat16Storage", STORAGE, ELEMENT_OTHER, 2 },
    { "torch", "ComplexFloatStorage", STORAGE, ELEMENT_OTHER, 8 },
    { "torch", "ComplexDoubleStorage", STORAGE, ELEMENT_OTHER, 16 },
};

const char *pickle_describe(const struct pickle_value *value)
{
    static const char *const kinds[] = { "None", "a truth value", "an integer", "a real number", "a text", "a tuple",
        "a list", "a dict", "a function", "a storage", "a tensor" };
    if (!value)
        return "nothing";
    return value->kind == PICKLE_FOREIGN  ? value->text
           : value->kind == PICKLE_GLOBAL ? globals[value->integer].name
                                          : kinds[value->kind];
}

static struct pickle_value *foreign(struct pickle *p, const char *name)
{
    struct pickle_value *value = pickle_value(p, PICKLE_FOREIGN);
    if (value)
        value->text = name;
    return value;
}

static bool equal(const char *text, size_t size, const char *name)
{
    return strlen(name) == size && !memcmp(text, name, size);
}

struct pickle_value *pickle_global(
    struct pickle *p, const char *module, size_t module_size, const char *name, size_t name_size)
{
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++) {
        if (equal(module, module_size, globals[i].module) && equal(name, name_size, globals[i].name)) {
            struct pickle_value *value = pickle_value(p, PICKLE_GLOBAL);
            if (value)
                value->integer = (int64_t)i;
            return value;
        }
    }
    char shown[128];
    int size = snprintf(shown, sizeof shown, "%.*s.%.*s", (int)(module_size < 60 ? module_size : 60), module,
        (int)(name_size < 60 ? name_size : 60), name);
    char *copy = pickle_allocate(p, (size_t)size + 1);
    return copy ? foreign(p, memcpy(copy, shown, (size_t)size + 1)) : NULL;
}

// Reads a tuple of non-negative integers.
static bool read_numbers(struct pickle *p, const struct pickle_value *tuple, uint64_t *numbers)
{
    for (uint32_t i = 0; i < tuple->count; i++) {
        if (tuple->items[i]->kind != PICKLE_INTEGER || tuple->items[i]->integer < 0)
            return pickle_fail(p, "size or stride of a tensor is negative or not an integer");
        numbers[i] = (uint64_t)tuple->items[i]->integer;
    }
    return true;
}

// Refuses a tensor whose last element is outside its storage.
static bool check_within(struct pickle *p, const struct pickle_tensor *tensor)
{
    const char *key = p->storages[tensor->storage].key;
    uint64_t count = p->storages[tensor->storage].value.count, end = tensor->offset, numbers = 1;
    bool fits = true;
    for (int k = 0; k < tensor->rank; k++) {
        uint64_t step;
        if (tensor->size[k] == 0)
            return true;
        fits = fits && !__builtin_mul_overflow(tensor->size[k] - 1, tensor->stride[k], &step) &&
               !__builtin_add_overflow(end, step, &end) &&
               !__builtin_mul_overflow(numbers, tensor->size[k], &numbers) && numbers <= count;
    }
    return (fits && end < count) ||
           pickle_fail(p, "tensor exceeds the %llu numbers of storage %s", (unsigned long long)count, key);
}

static struct pickle_value *rebuild_tensor(struct pickle *p, const struct pickle_value *arguments)
{
    struct pickle_value **items = arguments->items;
    if (arguments->count >= 4 && items[0]->kind == PICKLE_FOREIGN)
        return items[0];
    if (arguments->count < 4 || items[0]->kind != PICKLE_STORAGE || items[1]->kind != PICKLE_INTEGER ||
        items[1]->integer < 0 || items[2]->kind != PICKLE_TUPLE || items[3]->kind != PICKLE_TUPLE ||
        items[2]->count != items[3]->count) {
        pickle_fail(p, "tensor must have a storage, an offset, sizes and strides");
        return NULL;
    }
    if (items[2]->count > PICKLE_RANK)
        return foreign(p, "a tensor of many dimensions");
    struct pickle_value *value = pickle_value(p, PICKLE_TENSOR);
    struct pickle_tensor *tensor = value ? pickle_allocate(p, sizeof *tensor) : NULL;
    if (!tensor)
        return NULL;
    tensor->storage = (ptrdiff_t)items[0]->integer;
    tensor->offset = (uint64_t)items[1]->integer;
    tensor->rank = (int)items[2]->count;
    if (!read_numbers(p, items[2], tensor->size) || !read_numbers(p, items[3], tensor->stride) ||
        !check_within(p, tensor))
        return NULL;
    value->tensor = tensor;
    return value;
}

struct pickle_value *pickle_call(
    struct pickle *p, const struct pickle_value *function, const struct pickle_value *arguments)
{
    if (function->kind == PICKLE_FOREIGN)
        return foreign(p, function->text);
    const struct global *global = function->kind == PICKLE_GLOBAL ? &globals[function->integer] : NULL;
    if (!global || global->meaning == STORAGE || arguments->kind != PICKLE_TUPLE) {
        pickle_fail(p, "%s is called with %s", pickle_describe(function), pickle_describe(arguments));
        return NULL;
    }
    if (global->meaning == REBUILD_TENSOR)
        return rebuild_tensor(p, arguments);
    if (global->meaning == ORDERED_DICT)
        return arguments->count ? foreign(p, "a dict made of a list") : pickle_value(p, PICKLE_DICT);
    if (arguments->count && (arguments->items[0]->kind == PICKLE_TENSOR || arguments->items[0]->kind == PICKLE_FOREIGN))
        return arguments->items[0];
    pickle_fail(p, "parameter must have a tensor");
    return NULL;
}

// Returns the storage with this key, adding it if it is new.
static struct pickle_value *find_storage(struct pickle *p, const char *key, const struct pickle_storage *storage)
{
    ptrdiff_t index = shgeti(p->storages, key);
    if (index < 0) {
        if (!pickle_spend(p, 2 * sizeof *p->storages + KEY_MAX))
            return NULL;
        shput(p->storages, key, *storage);
        index = shgeti(p->storages, key);
    }
    const struct pickle_storage *known = &p->storages[index].value;
    if (known->count != storage->count || known->type != storage->type) {
        pickle_fail(p, "storage %s has both %llu numbers of a %s and %llu of a %s", key,
            (unsigned long long)known->count, known->type, (unsigned long long)storage->count, storage->type);
        return NULL;
    }
    struct pickle_value *value = pickle_value(p, PICKLE_STORAGE);
    if (value)
        value->integer = index;
    return value;
}

struct pickle_value *pickle_persistent(struct pickle *p, const struct pickle_value *id)
{
    struct pickle_value **items = id->items;
    if (id->kind != PICKLE_TUPLE || id->count < 2 || items[0]->kind != PICKLE_TEXT) {
        pickle_fail(p, "persistent id is not PyTorch's");
        return NULL;
    }
    if (!pickle_text_is(items[0], "storage")) // a class with its source text
        return items[1]->kind == PICKLE_FOREIGN ? items[1] : foreign(p, "a class");
    const struct global *type = items[1]->kind == PICKLE_GLOBAL ? &globals[items[1]->integer] : NULL;
    bool known = id->count >= 5 && type && type->meaning == STORAGE;
    if (!known || items[2]->kind != PICKLE_TEXT || items[4]->kind != PICKLE_INTEGER || items[4]->integer < 0 ||
        (uint64_t)items[4]->integer > UINT64_MAX / 16) {
        pickle_fail(p, "unknown kind of storage%s%s", known ? "" : ", ", known ? "" : pickle_describe(items[1]));
        return NULL;
    }
    char key[KEY_MAX + 1] = { 0 };
    if (items[2]->count > KEY_MAX || memchr(items[2]->text, 0, items[2]->count)) {
        pickle_fail(p, "storage key is too long or has a zero byte");
        return NULL;
    }
    memcpy(key, items[2]->text, items[2]->count);
    struct pickle_storage storage = { type->name, type->element, type->bytes, (uint64_t)items[4]->integer };
    struct pickle_value *value = find_storage(p, key, &storage);
    bool view = id->count > 5 && items[5]->kind != PICKLE_NONE;
    return value && view ? foreign(p, "a view of a storage") : value;
}
