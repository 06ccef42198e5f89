// The file: a magic line, the length of a JSON text and the text (settings, state, splits), the number of floats and
// the floats, and a checksum of everything. Numbers have eight bytes, little-endian.
#include "train/checkpoint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <stb/stb_ds.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/ranks.h"

static const char magic[] = "mdam-vk checkpoint 1\n";
enum { MAGIC = sizeof magic - 1, WORD = 8, SLOTS = 2 };
#define FILE_MAX ((size_t)1 << 36)

static char *path_of(const char *folder, uint32_t slot)
{
    return xformat("%s/checkpoint/%u", folder, slot);
}

static char *clock_path_of(const char *folder)
{
    return xformat("%s/clock.json", folder);
}

void checkpoint_finish(struct checkpoint *c)
{
    free(c->values);
    arrfree(c->splits);
    *c = (struct checkpoint){ 0 };
}

static char *describe(const struct checkpoint *c)
{
    json_t *splits = json_array();
    for (size_t i = 0; i < arrlenu(c->splits); i++)
        json_array_append_new(splits, json_pack("[i, i]", (int)c->splits[i][0], (int)c->splits[i][1]));
    json_t *json = json_pack("{s:o, s:o, s:o}", "settings", settings_to_json(&c->settings), "state",
        state_to_json(&c->state), "splits", splits);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    return text;
}

// Adds data to the file and to the checksum.
static bool put(struct file_out *out, uint64_t *sum, const void *data, size_t size)
{
    *sum = hash_add(*sum, data, size);
    return file_out_add(out, data, size);
}

static bool write_clock(const char *folder, const struct train_clock *clock)
{
    json_t *json = clock_to_json(clock);
    char *path = clock_path_of(folder), *text = json_dumps(json, JSON_INDENT(2));
    bool ok = file_write(path, text, strlen(text));
    json_decref(json);
    free(text);
    free(path);
    return ok;
}

// One that is absent or damaged leaves the durations as they are.
static void read_clock(const char *folder, struct train_clock *clock)
{
    char *path = clock_path_of(folder);
    json_t *json = json_load_file(path, 0, NULL);
    struct train_clock found = *clock;
    if (clock_from_json(&found, json))
        *clock = found;
    json_decref(json);
    free(path);
}

bool checkpoint_write(const char *folder, const struct checkpoint *c)
{
    char *path = path_of(folder, c->slot), *text = describe(c);
    uint64_t length = strlen(text), sum = HASH_START;
    struct file_out out;
    bool ok = file_out_open(&out, path);
    if (ok) {
        ok = put(&out, &sum, magic, MAGIC) && put(&out, &sum, &length, WORD) && put(&out, &sum, text, length) &&
             put(&out, &sum, &c->count, WORD) && put(&out, &sum, c->values, c->count * sizeof *c->values) &&
             file_out_add(&out, &sum, WORD) && file_out_close(&out);
        file_out_abandon(&out);
    }
    free(text);
    free(path);
    return ok && write_clock(folder, &c->clock);
}

static bool read_json(struct checkpoint *c, const char *text, size_t length)
{
    json_error_t error;
    json_t *json = json_loadb(text, length, 0, &error), *splits = json_object_get(json, "splits"), *pair;
    bool ok = json || fail(FAULT_INPUT, "%s", error.text);
    ok = ok && settings_from_json(&c->settings, json_object_get(json, "settings")) &&
         state_from_json(&c->state, json_object_get(json, "state")) &&
         clock_from_json(&c->clock, json_object_get(json, "state"));
    size_t i;
    json_array_foreach(splits, i, pair)
    {
        int split[2] = { 0, 0 };
        uint32_t B = ok ? c->settings.B / c->settings.parts : 1;
        if (!ok || json_unpack(pair, "[i, i]", &split[0], &split[1]) || split[0] < 1 || split[1] < 1 ||
            B % (uint32_t)split[0] || B % (uint32_t)split[1]) {
            ok = ok && fail(FAULT_INPUT, "%u instances cannot be split like this", B);
            break;
        }
        arrsetlen(c->splits, i + 1);
        c->splits[i][0] = (uint32_t)split[0];
        c->splits[i][1] = (uint32_t)split[1];
    }
    json_decref(json);
    return ok;
}

static uint64_t word_at(const char *data)
{
    uint64_t word;
    memcpy(&word, data, WORD);
    return word;
}

bool checkpoint_parse(struct checkpoint *c, const char *data, size_t size)
{
    *c = (struct checkpoint){ 0 };
    const size_t min_size = MAGIC + 3 * WORD;
    if (size < min_size || memcmp(data, magic, MAGIC))
        return fail(FAULT_INPUT, "not a checkpoint, or cut short: %zu bytes", size);
    uint64_t length = word_at(data + MAGIC), rest = size - min_size;
    if (length > rest)
        return fail(FAULT_INPUT, "cut short: %zu bytes", size);
    const char *text = data + MAGIC + WORD, *floats = text + length + WORD;
    uint64_t count = word_at(text + length);
    if (count > (rest - length) / sizeof *c->values || rest - length != count * sizeof *c->values)
        return fail(FAULT_INPUT, "cut short or damaged: %zu bytes", size);
    if (hash_add(HASH_START, data, size - WORD) != word_at(data + size - WORD))
        return fail(FAULT_INPUT, "damaged: its checksum is wrong");
    c->count = count;
    c->values = xcalloc(count, sizeof *c->values);
    memcpy(c->values, floats, count * sizeof *c->values);
    return read_json(c, text, length);
}

bool checkpoint_share(struct checkpoint *c)
{
    char *text = ranks_rank() == 0 ? describe(c) : NULL;
    uint64_t sizes[] = { text ? strlen(text) : 0, c->count };
    ranks_broadcast(sizes, sizeof sizes);
    bool ok = true;
    if (ranks_rank() > 0) {
        text = xcalloc(sizes[0] + 1, 1);
        *c = (struct checkpoint){ .count = sizes[1], .values = xcalloc(sizes[1], sizeof *c->values) };
    }
    ranks_broadcast(text, sizes[0]);
    ranks_broadcast(c->values, sizes[1] * sizeof *c->values);
    if (ranks_rank() > 0)
        ok = read_json(c, text, sizes[0]);
    ranks_broadcast(&c->clock, sizeof c->clock);
    ranks_broadcast(&c->slot, sizeof c->slot);
    free(text);
    return ok;
}

static bool read_slot(const char *path, struct checkpoint *c)
{
    *c = (struct checkpoint){ 0 };
    char *data;
    size_t size;
    if (!file_read(path, FILE_MAX, &data, &size))
        return false;
    bool ok = checkpoint_parse(c, data, size) || fail_within("%s", path);
    free(data);
    if (!ok)
        checkpoint_finish(c);
    return ok;
}

void checkpoint_sweep(const char *folder)
{
    char *clock = clock_path_of(folder);
    file_sweep(clock);
    free(clock);
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        char *path = path_of(folder, slot);
        file_sweep(path);
        free(path);
    }
}

bool checkpoint_exists(const char *folder)
{
    bool exists = false;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        char *path = path_of(folder, slot);
        exists = exists || !access(path, F_OK);
        free(path);
    }
    return exists;
}

bool checkpoint_read(
    const char *folder, struct checkpoint *c, void (*note)(void *user, const char *sentence), void *user)
{
    *c = (struct checkpoint){ 0 };
    if (!checkpoint_exists(folder))
        return fail(FAULT_INPUT, "%s: has no checkpoint", folder);
    bool found = false;
    char *wrong = NULL;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        char *path = path_of(folder, slot);
        struct checkpoint other;
        if (access(path, F_OK)) {
            // The first checkpoint of a training has no other one.
        } else if (!read_slot(path, &other)) {
            free(wrong);
            wrong = xstrdup(error_text());
        } else if (!found || other.state.checkpoint > c->state.checkpoint) {
            checkpoint_finish(c);
            *c = other;
            c->slot = slot;
            found = true;
        } else {
            checkpoint_finish(&other);
        }
        free(path);
    }
    if (found && wrong && note) {
        char *sentence = xformat("%s; the other checkpoint is used", wrong);
        note(user, sentence);
        free(sentence);
    }
    if (found)
        read_clock(folder, &c->clock);
    else
        fail(FAULT_INPUT, "%s", wrong);
    free(wrong);
    return found;
}
