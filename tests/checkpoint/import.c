#include "checkpoint/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stb/stb_ds.h>

#include "checkpoint/torch.h"
#include "expect.h"
#include "model/initial.h"
#include "suite.h"
#include "tests/checkpoint/released.h"
#include "tests/model/support.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"

static void free_notes(char ***notes)
{
    for (ptrdiff_t i = 0; i < arrlen(*notes); i++)
        free((*notes)[i]);
    arrfree(*notes);
}

// Reads a checkpoint in memory; false with the sentence, and the notes in *NOTES.
static bool import_text(const struct text *text, const char *args_json, struct weights *weights, char ***notes)
{
    struct import_args args = { 0 };
    struct torch_file file;
    if ((args_json && !import_args_parse(args_json, strlen(args_json), &args)) ||
        !torch_parse(&file, text->data, text->size))
        return false;
    bool ok = import_state(&file, &args, weights, notes);
    torch_finish(&file);
    return ok;
}

// Numbers that are all different, with variances above 0.
static void draw_reference(struct weights *weights, const struct problem *problem, enum model_norm norm, uint32_t M)
{
    struct config config = tiny_config(problem->name, 3, M);
    config.F = 16;
    config.dialect = DIALECT_REFERENCE;
    config.norm = norm;
    config.p = M == 1 ? 0 : 3;
    weights_draw(weights, &config, 1);
    for (uint64_t i = 0; weights->stats.plain.rank && i < tensor_count(&weights->stats.plain); i++)
        weights_at(weights, weights->stats.plain)[i] = 1 + 0.001f * (float)i;
    for (uint32_t i = 0; i < config.L; i++) {
        for (uint32_t k = 0; k < config.D; k++) {
            weights_at(weights, weights->params.layers[i].norm1.gain)[k] = 1 + 0.01f * (float)(i * config.D + k);
            weights_at(weights, weights->params.layers[i].norm2.bias)[k] = 2 + 0.01f * (float)(i * config.D + k);
        }
    }
}

static MunitResult test_round_trip(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        enum model_norm norm;
        bool single, tracked;
    } kinds[] = { { MODEL_BATCH_LIVE, false, true }, { MODEL_BATCH_LIVE, false, false },
        { MODEL_INSTANCE, false, false }, { MODEL_RUNNING, true, true }, { MODEL_INSTANCE, true, false } };
    for (const struct problem *const *problem = problems; *problem; problem++) {
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            struct weights weights, back;
            draw_reference(&weights, *problem, kinds[i].norm, kinds[i].single ? 1 : 4);
            struct torch_out *state = released_state(&weights, kinds[i].single, kinds[i].tracked);
            struct text text = released_file(state, i % 2, &(struct torch_options){ .old = i > 2 });
            char args[240], **notes = NULL;
            snprintf(args, sizeof args,
                "{\"problem\":\"%s\",\"graph_size\":20,\"n_EG\":3,\"n_paths\":4,\"embedding_dim\":8,"
                "\"n_encode_layers\":3,\"normalization\":\"%s\",\"run_name\":[]}",
                (*problem)->released, kinds[i].norm == MODEL_INSTANCE ? "instance" : "batch");
            if (!import_text(&text, args, &back, &notes))
                munit_errorf("%s, kind %zu: %s", (*problem)->name, i, error_text());
            munit_assert_size(arrlenu(notes), ==, 0);
            munit_assert_uint64(back.count, ==, weights.count);
            munit_assert_memory_equal(back.count * 4, back.values, weights.values);
            const struct config *c = &back.config;
            munit_assert_string_equal(c->problem->name, (*problem)->name);
            const uint32_t sizes[] = { c->D, c->H, c->F, c->L, c->M, c->p, c->norm, c->dialect, c->trained.n_min,
                c->trained.n_max };
            const uint32_t expected[] = { 8, 2, 16, 3, kinds[i].single ? 1 : 4, kinds[i].single ? 0 : 3, kinds[i].norm,
                DIALECT_REFERENCE, 20, 20 };
            munit_assert_memory_equal(sizeof sizes, sizes, expected);
            weights_finish(&weights), weights_finish(&back);
            released_finish(&state);
            text_finish(&text);
        }
    }
    return MUNIT_OK;
}

// Notes and assumptions without args.json, or with an odd one.
static MunitResult test_assumed(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *problem, *args, *sentence, *note;
        uint32_t p;
    } table[] = {
        { "tsp", NULL, NULL, "its arguments have no n_EG: assuming a glimpse every 2 decisions", 2 },
        { "sdvrp", NULL, NULL, "its arguments have no n_EG: assuming a glimpse every 2 decisions", 2 },
        { "cvrp", NULL, "its tensors fit cvrp or op; args.json is needed to decide", NULL, 0 },
        { "op", NULL, "its tensors fit cvrp or op; args.json is needed to decide", NULL, 0 },
        { "pctsp", NULL, "its tensors fit pctsp or spctsp; args.json is needed to decide", NULL, 0 },
        { "op", "{\"problem\":\"op_unif\",\"n_EG\":2}", NULL, NULL, 2 },
        { "op", "{\"problem\":\"op\",\"data_distribution\":\"unif\",\"n_EG\":2,\"graph_size\":null}", NULL, NULL, 2 },
        { "tsp", "{\"problem\":\"tsp\",\"n_EG\":200,\"graph_size\":100}", NULL,
            "n_EG 200: no tour of 100 nodes is long enough for a glimpse", 200 },
        { "tsp", "{\"problem\":\"cvrp\"}", "its tensors are for tsp, its arguments for cvrp", NULL, 0 },
        { "op", "{\"problem\":\"sdvrp\"}", "its tensors are for cvrp or op, its arguments for sdvrp", NULL, 0 },
        { "tsp", "{\"n_paths\":5}", "its arguments have n_paths 5, its tensors 3", NULL, 0 },
        { "tsp", "{\"embedding_dim\":128}", "its arguments have embedding_dim 128, its tensors 8", NULL, 0 },
        { "tsp", "{\"n_encode_layers\":2}", "its arguments have n_encode_layers 2, its tensors 3", NULL, 0 },
        { "tsp", "{\"normalization\":\"instance\"}",
            "its arguments say instance normalisation, its tensors batch normalisation", NULL, 0 },
        { "tsp", "{\"graph_size\":1000000}", "n: *", NULL, 0 },
        { "tsp", "{\"problem\":\"tsp_dist\"}", "/problem: *", NULL, 0 },
        { "tsp", "{\"problem\":7}", "/problem: *", NULL, 0 },
        { "op", "{\"problem\":\"op\",\"data_distribution\":\"x\"}", "/data_distribution: *", NULL, 0 },
        { "tsp", "{\"n_EG\":0}", "/n_EG: *", NULL, 0 },
        { "tsp", "{\"n_EG\":\"2\"}", "/n_EG: *", NULL, 0 },
        { "tsp", "{\"normalization\":\"layer\"}", "/normalization: *", NULL, 0 },
        { "tsp", "[]", "must be an object, not an array", NULL, 0 },
        { "tsp", "", "the file is empty", NULL, 0 },
        { "tsp", "{}\n{}", "more than one value", NULL, 0 },
        { "tsp", "{", "line 1 column 1: *", NULL, 0 },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct weights weights, back;
        draw_reference(&weights, problem_by_name(table[i].problem), MODEL_BATCH_LIVE, 3);
        struct torch_out *state = released_state(&weights, false, true);
        struct text text = released_file(state, false, NULL);
        char **notes = NULL;
        bool ok = import_text(&text, table[i].args, &back, &notes);
        if (table[i].sentence) {
            expect_refused(ok, table[i].sentence);
        } else {
            if (!ok)
                munit_error(error_text());
            munit_assert_size(arrlenu(notes), ==, table[i].note ? 1 : 0);
            if (table[i].note)
                munit_assert_string_equal(notes[0], table[i].note);
            munit_assert_uint32(back.config.p, ==, table[i].p);
            if (back.config.problem->prize_kinds)
                munit_assert_int(back.config.trained.prize, ==, PRIZE_UNIF);
            weights_finish(&back);
        }
        free_notes(&notes);
        weights_finish(&weights);
        released_finish(&state);
        text_finish(&text);
    }
    return MUNIT_OK;
}

static void expect_refused_state(const struct torch_out *state, const char *sentence)
{
    struct text text = released_file(state, true, NULL);
    struct weights back;
    char **notes = NULL;
    expect_refused(import_text(&text, NULL, &back, &notes), sentence);
    munit_assert_null(back.values);
    free_notes(&notes);
    text_finish(&text);
}

static struct torch_out *tensor_called(struct torch_out *state, const char *name)
{
    for (ptrdiff_t i = 0; i < arrlen(state); i++) {
        if (!strcmp(state[i].name, name))
            return &state[i];
    }
    munit_errorf("no tensor %s", name);
}

static MunitResult test_refused(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *from, *to, *sentence; // a tensor gets another name
    } names[] = {
        { "embedder.layers.4.module.W_out", "x", "tensor embedder.layers.4.module.W_out is missing" },
        { "embedder.BN2.normalizer.bias", "x", "tensor embedder.BN2.normalizer.bias is missing" },
        { "project_out.2.weight", "project_out.3.weight", "tensor project_out.2.weight is missing" },
        { "embedder.layers.4.module.W_query", "x", "tensor x is not part of the model" },
        { "project_node_embeddings.0.weight", "x", "not a state dict of the released programs" },
        { "init_embed.weight", "x", "not a state dict of the released programs" },
        { "embedder.BN1.normalizer.running_mean", "embedder.running",
            "tensor embedder.running is not part of the model" },
        { "W_placeholder", "init_embed_depot.weight", "its tensors match no problem" },
    };
    struct weights weights;
    draw_reference(&weights, &problem_tsp, MODEL_BATCH_LIVE, 3);
    struct torch_out *state = released_state(&weights, false, true);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct torch_out *tensor = tensor_called(state, names[i].from);
        snprintf(tensor->name, sizeof tensor->name, "%s", names[i].to);
        expect_refused_state(state, names[i].sentence);
        snprintf(tensor->name, sizeof tensor->name, "%s", names[i].from);
    }
    struct torch_out *tensor = tensor_called(state, "project_fixed_context.1.weight");
    tensor->dim[0] = 4, tensor->dim[1] = 16;
    expect_refused_state(state, "tensor project_fixed_context.1.weight is (4,16) instead of (8,8)");
    tensor->dim[0] = tensor->dim[1] = 8;
    uint32_t infinite = 0x7F800000;
    memcpy((char *)tensor->data + 4, &infinite, 4);
    expect_refused_state(state, "decoder.fixed: *");
    released_finish(&state);
    weights_finish(&weights);
    return MUNIT_OK;
}

// Names without numbers claim a model that would take gigabytes.
static MunitResult test_claims(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct torch_out *state = NULL;
    char nothing[8192 * 4] = { 0 };
    const struct torch_out parts[] = {
        { "W_placeholder", NULL, 1, { 1 }, nothing, 4 },
        { "init_embed.weight", NULL, 2, { 1024, 2 }, nothing, 8192 },
        { "embedder.layers.0.0.module.W_query", NULL, 1, { 8 }, nothing, 32 },
        { "embedder.layers.0.2.module.0.weight", NULL, 1, { 8192 }, nothing, 32768 },
        { "project_node_embeddings.weight", NULL, 1, { 1 }, nothing, 4 },
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        arrput(state, parts[i]);
    for (int i = 1; i < 32; i++) {
        struct torch_out layer = { .rank = 1, .dim = { 1 }, .data = nothing, .bytes = 4 };
        snprintf(layer.name, sizeof layer.name, "embedder.layers.%d.0.module.W_query", i);
        arrput(state, layer);
    }
    expect_refused_state(state, "10281 numbers for a model of 678864896");
    arrfree(state);
    return MUNIT_OK;
}

// --- real checkpoints, where there are any ------------------------------------------------------------------------

// The folder with them, or NULL.
static const char *shared_folder(void)
{
    const char *folder = getenv("MDAM_VK_SHARED");
    folder = folder ? folder : SHARED;
    return access(folder, R_OK) ? NULL : folder;
}

// Trainable numbers of a network with one decoder and D = 128, as published.
static uint64_t published_count(const struct config *config)
{
    static const struct {
        const char *problem;
        uint64_t count;
    } counts[] = { { "tsp", 708608 }, { "cvrp", 692608 }, { "op", 692608 }, { "sdvrp", 692992 }, { "pctsp", 692736 },
        { "spctsp", 692736 } };
    uint64_t decoder = config->problem->has_depot ? 98432 : 114688;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (!strcmp(counts[i].problem, config->problem->name))
            return counts[i].count + (config->M - 1) * decoder;
    }
    return 0;
}

static void import_real(const char *folder, const char *name, const char *file, struct weights *weights)
{
    char *path = xformat("%s/%s/%s", folder, name, file), *args = xformat("%s/%s/args.json", folder, name);
    char **notes = NULL, *bytes;
    if (!import_checkpoint(path, args, weights, &notes))
        munit_error(error_text());
    munit_assert_size(arrlenu(notes), ==, 0);
    size_t size;
    struct torch_file torch;
    munit_assert_true(file_read(path, 1 << 28, &bytes, &size));
    munit_assert_true(torch_parse(&torch, bytes, size));
    uint64_t trainable = 0;
    for (ptrdiff_t i = 0; i < arrlen(torch.tensors); i++) {
        const char *last = strrchr(torch.tensors[i].name, '.');
        if (!last || (strncmp(last, ".running", 8) && strcmp(last, ".num_batches_tracked")))
            trainable += tensor_count(&torch.tensors[i].shape);
    }
    if (weights->config.D == 128)
        munit_assert_uint64(trainable, ==, published_count(&weights->config));
    torch_finish(&torch);
    free(bytes), free(path), free(args);
}

static MunitResult test_packs(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    if (!shared_folder())
        return MUNIT_SKIP;
    static const struct {
        const char *name, *problem;
        enum model_norm norm;
        uint32_t n, D, L, M, p;
    } packs[] = {
        { "cvrp10", "cvrp", MODEL_BATCH_LIVE, 10, 128, 3, 3, 2 },
        { "op10", "op", MODEL_BATCH_LIVE, 10, 128, 3, 3, 2 },
        { "pctsp10", "pctsp", MODEL_INSTANCE, 10, 128, 3, 3, 2 },
        { "sdvrp10", "sdvrp", MODEL_INSTANCE, 10, 128, 3, 3, 2 },
        { "small12", "cvrp", MODEL_BATCH_LIVE, 12, 64, 2, 1, 1 },
        { "spctsp10", "spctsp", MODEL_BATCH_LIVE, 10, 128, 3, 3, 2 },
        { "tsp10", "tsp", MODEL_BATCH_LIVE, 10, 128, 3, 3, 2 },
        { "tsp20", "tsp", MODEL_INSTANCE, 20, 128, 3, 5, 2 },
    };
    char *folder = xformat("%s/parity", shared_folder());
    for (size_t i = 0; i < sizeof packs / sizeof *packs; i++) {
        const char *const files[] = { "model.pt", "grad.pt" };
        for (int k = 0; k < 2; k++) {
            struct weights weights;
            import_real(folder, packs[i].name, files[k], &weights);
            const struct config *c = &weights.config;
            munit_assert_string_equal(c->problem->name, packs[i].problem);
            const uint32_t found[] = { c->norm, c->trained.n_max, c->D, c->H, c->F, c->L, c->M, c->p };
            const uint32_t expected[] = { packs[i].norm, packs[i].n, packs[i].D, 8, 512, packs[i].L, packs[i].M,
                packs[i].p };
            munit_assert_memory_equal(sizeof found, found, expected);
            weights_finish(&weights);
        }
    }
    free(folder);
    return MUNIT_OK;
}

static MunitResult test_attention_model(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    if (!shared_folder())
        return MUNIT_SKIP;
    static const char *const names[][2] = { { "tsp_20", "tsp" }, { "cvrp_20", "cvrp" }, { "sdvrp_20", "sdvrp" },
        { "op_dist_20", "op" }, { "pctsp_det_20", "pctsp" }, { "pctsp_stoch_20", "spctsp" } };
    char *folder = xformat("%s/am", shared_folder());
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct weights weights;
        import_real(folder, names[i][0], "epoch-99.pt", &weights);
        munit_assert_string_equal(weights.config.problem->name, names[i][1]);
        munit_assert_int(weights.config.norm, ==, MODEL_RUNNING);
        munit_assert_uint32(weights.config.M, ==, 1);
        munit_assert_uint32(weights.config.p, ==, 0);
        weights_finish(&weights);
    }
    free(folder);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/round-trip", test_round_trip),
    TEST("/assumed", test_assumed),
    TEST("/refused", test_refused),
    TEST("/claims", test_claims),
    TEST("/packs", test_packs),
    TEST("/attention-model", test_attention_model),
    TEST_END,
};
SUITE("/checkpoint/import", tests)
