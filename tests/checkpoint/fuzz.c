// Mutated model files and checkpoints against their readers.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "checkpoint/import.h"
#include "checkpoint/torch.h"
#include "checkpoint/weights_file.h"
#include "model/initial.h"
#include "tests/checkpoint/released.h"
#include "tests/model/support.h"
#include "util/alloc.h"

#define T FUZZ_TOKEN

static const struct span json_tokens[] = { T("0"), T("-1"), T("4"), T("1e308"), T("9223372036854775807"),
    T("99999999999999999999"), T("4294967295"), T("null"), T("true"), T("\"\""), T("\"8\""), T("\"tsp\""), T("\"op\""),
    T("\"batch\""), T("\"running\""), T("\"reference\""), T("\"1..20\""), T("[]"), T("{}"), T("[[[["), T("}}"), T(","),
    T(":"), T("\"x\":"), T("\"dtype\":"), T("\"shape\":"), T("[0,4]"), T("\\u0000"), T("\xff"), T("\n"), { 0 } };

static const struct span pickle_tokens[] = { T("("), T("t"), T("R"), T("Q"), T("b"), T("."), T("}"), T("]"), T(")"),
    T("N"), T("s"), T("u"), T("a"), T("e"), T("\x81"), T("\x85"), T("\x86"), T("\x87"), T("h\0"), T("h\1"), T("h\2"),
    T("q\7"), T("j\xff\xff\xff\xff"), T("r\0\4\0\0"), T("K\0"), T("K\1"), T("K\x80"), T("M\0\1"),
    T("J\xff\xff\xff\xff"), T("J\xff\xff\xff\x7f"), T("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"), T("X\5\0\0\0model"),
    T("X\7\0\0\0storage"), T("X\1\0\0\0"), T("ccollections\nOrderedDict\n"), T("cos\nsystem\n"),
    T("ctorch._utils\n_rebuild_tensor_v2\n"), T("ctorch\nLongStorage\n"), T("\xff\xff\xff\xff"), T("\0\0\0\0"),
    T("PK\5\6"), T("PK\1\2"), { 0 } };

// --- model files --------------------------------------------------------------------------------------------------

static struct config small_config(size_t i)
{
    struct config config = tiny_config(i ? "op" : "tsp", 1, 1 + (uint32_t)i);
    config.norm = i ? MODEL_BATCH : MODEL_INSTANCE;
    config.O = (uint32_t)i;
    return config;
}

static struct text small_model(size_t i)
{
    struct config config = small_config(i);
    struct weights weights;
    weights_draw(&weights, &config, i);
    struct text text = model_bytes(&weights);
    weights_finish(&weights);
    return text;
}

static void read_model(const char *data, size_t size)
{
    struct weights weights;
    if (!weights_parse(data, size, &weights)) {
        fuzz_expect_sentence();
        return;
    }
    fuzz_accept();
    if (!config_check(&weights.config) || !weights_check(&weights))
        fuzz_broken("a model was read that does not hold together");
    weights_finish(&weights);
}

static size_t make_models(struct span inputs[])
{
    for (size_t i = 0; i < 2; i++) {
        struct text text = small_model(i);
        inputs[i] = (struct span){ text.data, text.size };
    }
    return 2;
}

// The header alone is changed, so that length and data are right.
static void read_header(const char *data, size_t size)
{
    static struct text models[2];
    char *header = xformat("%.*s", (int)size, data);
    for (size_t i = 0; i < 2; i++) {
        if (!models[i].data)
            models[i] = small_model(i);
        struct text text = model_with_header(&models[i], header);
        read_model(text.data, text.size);
        text_finish(&text);
    }
    free(header);
}

static size_t make_headers(struct span inputs[])
{
    for (size_t i = 0; i < 2; i++) {
        struct text text = small_model(i);
        inputs[i] = span_of(model_header(&text));
        text_finish(&text);
    }
    return 2;
}

// --- checkpoints --------------------------------------------------------------------------------------------------

static struct torch_out *small_state(bool single)
{
    struct config config = tiny_config(single ? "sdvrp" : "tsp", 1 + single, single ? 1 : 2);
    config.dialect = DIALECT_REFERENCE;
    config.norm = single ? MODEL_RUNNING : MODEL_BATCH_LIVE;
    struct weights weights;
    weights_draw(&weights, &config, single);
    struct torch_out *state = released_state(&weights, single, true);
    weights_finish(&weights);
    return state;
}

static void read_checkpoint(const char *data, size_t size)
{
    struct torch_file file;
    if (!torch_parse(&file, data, size)) {
        fuzz_expect_sentence();
        return;
    }
    struct weights weights;
    char **notes = NULL;
    if (import_state(&file, &(struct import_args){ 0 }, &weights, &notes)) {
        fuzz_accept();
        if (!config_check(&weights.config) || !weights_check(&weights))
            fuzz_broken("a model was imported that does not hold together");
        weights_finish(&weights);
    } else {
        fuzz_expect_sentence();
    }
    for (ptrdiff_t i = 0; i < arrlen(notes); i++)
        free(notes[i]);
    arrfree(notes);
    torch_finish(&file);
}

static size_t make_checkpoints(struct span inputs[], bool zip)
{
    for (size_t i = 0; i < 2; i++) {
        struct torch_out *state = small_state(i);
        struct text text = released_file(state, zip, &(struct torch_options){ .old = i });
        inputs[i] = (struct span){ text.data, text.size };
        released_finish(&state);
    }
    return 2;
}

static size_t make_legacy(struct span inputs[])
{
    return make_checkpoints(inputs, false);
}

static size_t make_zip(struct span inputs[])
{
    return make_checkpoints(inputs, true);
}

// The pickle alone is changed, so that checksums and numbers are right.
static void read_pickle(const char *data, size_t size)
{
    static struct torch_out *states[2];
    for (int i = 0; i < 2; i++) {
        if (!states[i])
            states[i] = small_state(i);
        struct text pickle = { (char *)data, size, 0 };
        struct text text = torch_zip(&pickle, states[i], arrlenu(states[i]), "a");
        read_checkpoint(text.data, text.size);
        text_finish(&text);
    }
}

static size_t make_pickles(struct span inputs[])
{
    for (size_t i = 0; i < 2; i++) {
        struct torch_out *state = small_state(i);
        struct text pickle = torch_pickle(state, arrlenu(state), false, NULL);
        inputs[i] = (struct span){ pickle.data, pickle.size };
        released_finish(&state);
    }
    return 2;
}

static void read_args(const char *data, size_t size)
{
    struct import_args args;
    if (import_args_parse(data, size, &args))
        fuzz_accept();
    else
        fuzz_expect_sentence();
}

static size_t make_args(struct span inputs[])
{
    inputs[0] = span_of(xstrdup("{\"problem\":\"op_dist\",\"graph_size\":20,\"n_EG\":2,\"n_paths\":5,\"resume\":null,"
                                "\"embedding_dim\":128,\"n_encode_layers\":3,\"normalization\":\"batch\"}\n"));
    return 1;
}

static const struct fuzz_reader readers[] = {
    { "model", read_model, .make = make_models, .tokens = json_tokens },
    { "model-header", read_header, .make = make_headers, .tokens = json_tokens },
    { "torch-legacy", read_checkpoint, .make = make_legacy, .tokens = pickle_tokens },
    { "torch-zip", read_checkpoint, .make = make_zip, .tokens = pickle_tokens },
    { "torch-pickle", read_pickle, .make = make_pickles, .tokens = pickle_tokens },
    { "args", read_args, .make = make_args, .tokens = json_tokens },
    { NULL },
};

int main(int argc, char **argv)
{
    return fuzz_main(argc, argv, readers);
}
