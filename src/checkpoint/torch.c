#include "checkpoint/torch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "archive/pickle.h"
#include "archive/zip.h"
#include "util/alloc.h"
#include "util/error.h"

#define TENSORS_MAX 4096                // in a state dict
#define NUMBERS_MAX ((uint64_t)1 << 28) // in all its tensors
#define TENSOR_NAME 120                 // bytes

// The pickled magic number at the start of a legacy file; the protocol, its second byte, may vary.
static const char magic[] = "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
#define MAGIC_BYTES    (sizeof magic - 1)
#define LEGACY_VERSION 1001

// --- the two formats: a pickle, and the values
// ------------------------------------------------------------------------

// Returns the storage of this key, which must not have data yet.
static struct pickle_storage *find_storage(struct pickle *p, struct span key)
{
    char name[80];
    snprintf(name, sizeof name, "%.*s", (int)(key.size < sizeof name ? key.size : sizeof name), key.at);
    ptrdiff_t index = shgeti(p->storages, name);
    if (index >= 0 && !p->storages[index].value.data)
        return &p->storages[index].value;
    fail(FAULT_INPUT, "storage %s %s", name, index < 0 ? "belongs to no tensor" : "appears twice");
    return NULL;
}

static bool wrong_size(struct span key, uint64_t found, uint64_t expected, const char *unit)
{
    return fail(FAULT_INPUT, "storage %.*s has %llu %s instead of %llu", SPAN_SHOWN(key), (unsigned long long)found,
        unit, (unsigned long long)expected);
}

static bool read_storages(struct pickle *p, const struct pickle_value *keys)
{
    if (keys->kind != PICKLE_LIST)
        return fail(FAULT_INPUT, "list of storages is %s", pickle_describe(keys));
    for (ptrdiff_t i = 0; i < arrlen(keys->items); i++) {
        struct span key = { keys->items[i]->text, keys->items[i]->count };
        if (keys->items[i]->kind != PICKLE_TEXT)
            return fail(FAULT_INPUT, "list of storages has %s", pickle_describe(keys->items[i]));
        struct pickle_storage *storage = find_storage(p, key);
        uint64_t count;
        if (!storage)
            return false;
        if (p->size - p->at < sizeof count)
            return fail(FAULT_INPUT, "unexpected end of file before storage %.*s", SPAN_SHOWN(key));
        memcpy(&count, p->data + p->at, sizeof count);
        p->at += sizeof count;
        if (count != storage->count)
            return wrong_size(key, count, storage->count, "numbers");
        if (count > (p->size - p->at) / storage->bytes)
            return fail(FAULT_INPUT, "unexpected end of file in storage %.*s", SPAN_SHOWN(key));
        storage->data = p->data + p->at;
        p->at += (size_t)count * storage->bytes;
    }
    return p->at == p->size || fail(FAULT_INPUT, "%zu bytes follow the last storage", p->size - p->at);
}

static bool read_legacy(struct pickle *p, const struct pickle_value **root)
{
    const struct pickle_value *version, *machine, *keys;
    p->at = MAGIC_BYTES;
    if (!pickle_read(p, &version))
        return false;
    if (version->kind != PICKLE_INTEGER || version->integer != LEGACY_VERSION)
        return fail(FAULT_INPUT, "version of the legacy format must be %d", LEGACY_VERSION);
    if (!pickle_read(p, &machine))
        return false;
    const struct pickle_value *little = pickle_get(machine, "little_endian");
    if (!little || little->kind != PICKLE_BOOL || !little->integer)
        return fail(FAULT_INPUT, "byte order must be little-endian");
    return pickle_read(p, root) && pickle_read(p, &keys) && read_storages(p, keys);
}

// Finds the part of an entry's name after FOLDER and PART; false if it begins differently.
static bool behind(struct span name, struct span folder, const char *part, struct span *rest)
{
    size_t size = folder.size + strlen(part);
    if (name.size < size || memcmp(name.at, folder.at, folder.size) ||
        memcmp(name.at + folder.size, part, strlen(part)))
        return false;
    *rest = (struct span){ name.at + size, name.size - size };
    return true;
}

// Finds the entry <folder>/data.pkl and "<folder>/", for any name of the folder.
static const struct zip_entry *find_pickle(const struct zip_entry *entries, struct span *folder)
{
    const struct zip_entry *found = NULL;
    for (ptrdiff_t i = 0; i < arrlen(entries); i++) {
        struct span name = entries[i].name, rest;
        const char *slash = memchr(name.at, '/', name.size);
        struct span before = { name.at, slash ? (size_t)(slash - name.at) + 1 : 0 };
        if (!slash || !behind(name, before, "data.pkl", &rest) || rest.size)
            continue;
        if (found) {
            fail(FAULT_INPUT, "zip: has two data.pkl");
            return NULL;
        }
        found = &entries[i];
        *folder = before;
    }
    if (!found)
        fail(FAULT_INPUT, "zip: not a PyTorch checkpoint: has no data.pkl in a folder");
    return found;
}

static bool open_storages(struct pickle *p, const struct zip_entry *entries, struct span folder)
{
    for (ptrdiff_t i = 0; i < arrlen(entries); i++) {
        struct span key;
        if (behind(entries[i].name, folder, "byteorder", &key) && !span_is(entries[i].content, "little"))
            return fail(FAULT_INPUT, "byte order must be little-endian");
        if (!behind(entries[i].name, folder, "data/", &key))
            continue;
        struct pickle_storage *storage = find_storage(p, key);
        if (!storage || !zip_check(&entries[i]))
            return false;
        if (entries[i].content.size != storage->count * storage->bytes)
            return wrong_size(key, entries[i].content.size, storage->count * storage->bytes, "bytes");
        storage->data = entries[i].content.at;
    }
    return true;
}

static bool read_zip(struct pickle *p, const char *data, size_t size, const struct pickle_value **root)
{
    struct zip_entry *entries;
    if (!zip_parse(data, size, &entries))
        return false;
    struct span folder = { 0 };
    const struct zip_entry *entry = find_pickle(entries, &folder);
    bool ok = entry && zip_check(entry);
    if (ok) {
        p->data = entry->content.at;
        p->size = entry->content.size;
        ok = (pickle_read(p, root) || fail_within("data.pkl")) && open_storages(p, entries, folder);
    }
    arrfree(entries);
    return ok;
}

// --- tensors ------------------------------------------------------------------------------------------------------

static float number_at(const struct pickle_storage *storage, uint64_t index)
{
    const char *at = storage->data + index * storage->bytes;
    if (storage->element == ELEMENT_FLOAT) {
        float number;
        memcpy(&number, at, sizeof number);
        return number;
    }
    if (storage->element == ELEMENT_DOUBLE) {
        double number;
        memcpy(&number, at, sizeof number);
        return (float)number;
    }
    uint64_t bits = 0;
    memcpy(&bits, at, storage->bytes); // little-endian
    unsigned unused = 64 - 8 * storage->bytes;
    return storage->element == ELEMENT_SIGNED ? (float)((int64_t)(bits << unused) >> unused) : (float)bits;
}

// Copies the values in the order of the shape, following the strides.
static void gather(const struct pickle_tensor *tensor, const struct pickle_storage *storage, float *to, uint64_t count)
{
    uint64_t position[PICKLE_RANK] = { 0 };
    for (uint64_t i = 0; i < count; i++) {
        uint64_t index = tensor->offset;
        for (int k = 0; k < tensor->rank; k++)
            index += position[k] * tensor->stride[k];
        to[i] = number_at(storage, index);
        for (int k = tensor->rank - 1; k >= 0 && ++position[k] == tensor->size[k]; k--)
            position[k] = 0;
    }
}

static bool add_tensor(
    struct torch_file *file, struct pickle *p, const char *name, const struct pickle_tensor *tensor, uint64_t *total)
{
    const struct pickle_storage *storage = &p->storages[tensor->storage].value;
    if (storage->element == ELEMENT_OTHER)
        return fail(FAULT_INPUT, "%s: values of a %s are not supported", name, storage->type);
    if (!storage->data)
        return fail(FAULT_INPUT, "%s: storage %s is missing", name, p->storages[tensor->storage].key);
    struct torch_tensor added = { .shape.rank = tensor->rank };
    for (int k = 0; k < tensor->rank; k++) {
        if (tensor->size[k] > UINT32_MAX)
            return fail(
                FAULT_INPUT, "%s: dimension of %llu is out of range", name, (unsigned long long)tensor->size[k]);
        added.shape.dim[k] = (uint32_t)tensor->size[k];
    }
    uint64_t count = tensor_count(&added.shape); // at most those of the storage, so no overflow
    *total += count;
    if (*total > NUMBERS_MAX)
        return fail(FAULT_INPUT, "%s: more than %llu million numbers", name, (unsigned long long)(NUMBERS_MAX >> 20));
    added.name = xstrdup(name);
    added.values = xcalloc((size_t)count, sizeof *added.values);
    gather(tensor, storage, added.values, count);
    arrput(file->tensors, added);
    return true;
}

static bool read_tensors(struct torch_file *file, struct pickle *p, const struct pickle_value *root)
{
    const struct pickle_value *model = pickle_get(root, "model");
    if (!model)
        model = root;
    if (model->kind != PICKLE_DICT)
        return fail(FAULT_INPUT, "must be a dict of tensors, not %s", pickle_describe(model));
    if (arrlen(model->items) > 2 * TENSORS_MAX)
        return fail(FAULT_INPUT, "more than %d tensors", TENSORS_MAX);
    uint64_t total = 0;
    for (ptrdiff_t i = 0; i < arrlen(model->items); i += 2) {
        const struct pickle_value *key = model->items[i], *value = model->items[i + 1];
        char name[TENSOR_NAME + 1] = { 0 };
        if (key->kind != PICKLE_TEXT || key->count > TENSOR_NAME || memchr(key->text, 0, key->count))
            return fail(FAULT_INPUT, "tensor %td must have a name of at most %d bytes", i / 2, TENSOR_NAME);
        memcpy(name, key->text, key->count);
        if (value->kind != PICKLE_TENSOR)
            return fail(FAULT_INPUT, "%s: must be a tensor, not %s", name, pickle_describe(value));
        if (torch_find(file, name))
            return fail(FAULT_INPUT, "%s: appears twice", name);
        if (!add_tensor(file, p, name, value->tensor, &total))
            return false;
    }
    return true;
}

bool torch_parse(struct torch_file *file, const char *data, size_t size)
{
    *file = (struct torch_file){ 0 };
    bool zip = zip_begins(data, size);
    if (!zip && (size < MAGIC_BYTES || data[0] != magic[0] || memcmp(data + 2, magic + 2, MAGIC_BYTES - 2)))
        return fail(FAULT_INPUT, "not a PyTorch checkpoint");
    struct pickle pickle;
    pickle_init(&pickle, data, size);
    const struct pickle_value *root;
    bool ok =
        (zip ? read_zip(&pickle, data, size, &root) : read_legacy(&pickle, &root)) && read_tensors(file, &pickle, root);
    pickle_finish(&pickle);
    if (!ok)
        torch_finish(file);
    return ok;
}

void torch_finish(struct torch_file *file)
{
    for (ptrdiff_t i = 0; i < arrlen(file->tensors); i++) {
        free(file->tensors[i].name);
        free(file->tensors[i].values);
    }
    arrfree(file->tensors);
}

const struct torch_tensor *torch_find(const struct torch_file *file, const char *name)
{
    for (ptrdiff_t i = 0; i < arrlen(file->tensors); i++) {
        if (!strcmp(file->tensors[i].name, name))
            return &file->tensors[i];
    }
    return NULL;
}
