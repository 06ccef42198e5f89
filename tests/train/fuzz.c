// Mutated checkpoints of trainings against their reader.
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "tests/train/support.h"
#include "train/checkpoint.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/hash.h"

#define T FUZZ_TOKEN

static const struct span tokens[] = { T("0"), T("-1"), T("4"), T("0.5"), T("1e308"), T("9223372036854775807"),
    T("99999999999999999999"), T("4294967295"), T("null"), T("true"), T("\"\""), T("\"tsp\""), T("\"op\""),
    T("\"batch\""), T("\"dist\""), T("[]"), T("{}"), T("[1,1]"), T("[0,0]"), T("[[[["), T("}}"), T(","), T(":"),
    T("\"B\":"), T("\"splits\":"), T("\"state\":"), T("\\u0000"), T("\xff"), T("\n"), { 0 } };

enum { MAGIC = 21, WORD = 8 }; // a line, the text's length

static void read_checkpoint(const char *data, size_t size)
{
    struct checkpoint c;
    if (!checkpoint_parse(&c, data, size)) {
        fuzz_expect_sentence();
    } else {
        fuzz_accept();
        if (!settings_check(&c.settings))
            fuzz_broken("settings were read that cannot be trained with");
        for (size_t i = 0; i < arrlenu(c.splits); i++) {
            if (!c.splits[i][0] || c.settings.B % c.splits[i][0] || !c.splits[i][1] || c.settings.B % c.splits[i][1])
                fuzz_broken("a split was read that the batch does not have");
        }
    }
    checkpoint_finish(&c);
}

static struct span small_checkpoint(const char *problem)
{
    struct checkpoint c = { .settings = small_settings(problem), .count = 4 };
    c.values = xcalloc(c.count, sizeof *c.values);
    arrsetlen(c.splits, 1);
    c.splits[0][0] = c.splits[0][1] = 1;
    const char *base = getenv("TMPDIR");
    char *folder = xformat("%s/mdam-vk-fuzz-XXXXXX", base ? base : "/tmp"), *data;
    size_t size;
    if (!mkdtemp(folder))
        bug("%s: cannot be made", folder);
    char *below = xformat("%s/checkpoint", folder), *path = xformat("%s/0", below),
         *clock = xformat("%s/clock.json", folder);
    if (!file_make_folder(below) || !checkpoint_write(folder, &c) || !file_read(path, 1 << 20, &data, &size))
        bug("%s", error_text());
    remove(path), remove(clock), remove(below), remove(folder);
    free(path), free(clock), free(below), free(folder);
    checkpoint_finish(&c);
    return (struct span){ data, size };
}

static size_t make_checkpoints(struct span inputs[])
{
    inputs[0] = small_checkpoint("op");
    inputs[1] = small_checkpoint("cvrp");
    return 2;
}

// The text alone is changed, so that lengths and checksum are right.
static void read_text(const char *data, size_t size)
{
    static struct span whole;
    if (!whole.at)
        whole = small_checkpoint("op");
    uint64_t length, old;
    memcpy(&old, whole.at + MAGIC, WORD);
    length = size;
    size_t rest = whole.size - MAGIC - WORD - old, all = MAGIC + WORD + size + rest;
    char *bytes = xcalloc(all, 1);
    memcpy(bytes, whole.at, MAGIC);
    memcpy(bytes + MAGIC, &length, WORD);
    memcpy(bytes + MAGIC + WORD, data, size);
    memcpy(bytes + MAGIC + WORD + size, whole.at + MAGIC + WORD + old, rest);
    uint64_t sum = hash_bytes(bytes, all - WORD);
    memcpy(bytes + all - WORD, &sum, WORD);
    read_checkpoint(bytes, all);
    free(bytes);
}

static size_t make_texts(struct span inputs[])
{
    size_t count = make_checkpoints(inputs);
    for (size_t i = 0; i < count; i++) {
        uint64_t length;
        memcpy(&length, inputs[i].at + MAGIC, WORD);
        char *text = xformat("%.*s", (int)length, inputs[i].at + MAGIC + WORD);
        free((char *)inputs[i].at);
        inputs[i] = span_of(text);
    }
    return count;
}

static const struct fuzz_reader readers[] = {
    { "checkpoint", read_checkpoint, .make = make_checkpoints, .tokens = tokens },
    { "checkpoint-text", read_text, .make = make_texts, .tokens = tokens },
    { NULL },
};

int main(int argc, char **argv)
{
    return fuzz_main(argc, argv, readers);
}
