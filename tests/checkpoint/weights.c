#include "checkpoint/weights_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stb/stb_ds.h>

#include "checkpoint/safetensors.h"
#include "expect.h"
#include "model/initial.h"
#include "suite.h"
#include "tests/model/support.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/hash.h"

static void expect_same(const struct weights *a, const struct weights *b)
{
    const struct config *x = &a->config, *y = &b->config;
    munit_assert_string_equal(x->problem->name, y->problem->name);
    munit_assert_int(x->dialect, ==, y->dialect);
    munit_assert_int(x->norm, ==, y->norm);
    const uint32_t one[] = { x->D, x->H, x->F, x->L, x->M, x->p, x->O, x->best_decoder, x->trained.n_min,
        x->trained.n_max, x->trained.prize };
    const uint32_t two[] = { y->D, y->H, y->F, y->L, y->M, y->p, y->O, y->best_decoder, y->trained.n_min,
        y->trained.n_max, y->trained.prize };
    munit_assert_memory_equal(sizeof one, one, two);
    munit_assert_int64(x->trained.capacity_min, ==, y->trained.capacity_min);
    munit_assert_int64(x->trained.capacity_max, ==, y->trained.capacity_max);
    munit_assert_double(x->trained.length_min, ==, y->trained.length_min);
    munit_assert_double(x->trained.length_max, ==, y->trained.length_max);
    munit_assert_int(x->trained.layout, ==, y->trained.layout);
    munit_assert_uint64(x->instances, ==, y->instances);
    munit_assert_int(x->has_validation, ==, y->has_validation);
    munit_assert_double(x->validation, ==, y->validation);
    munit_assert_uint64(a->count, ==, b->count);
    munit_assert_memory_equal(a->count * 4, a->values, b->values);
}

static MunitResult test_round_trip(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        enum dialect dialect;
        enum model_norm norm;
    } kinds[] = { { DIALECT_NATIVE, MODEL_INSTANCE }, { DIALECT_NATIVE, MODEL_BATCH }, { DIALECT_NATIVE, MODEL_LAYER },
        { DIALECT_REFERENCE, MODEL_INSTANCE }, { DIALECT_REFERENCE, MODEL_BATCH_LIVE },
        { DIALECT_REFERENCE, MODEL_RUNNING } };
    for (const struct problem *const *problem = problems; *problem; problem++) {
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            struct config config = tiny_config((*problem)->name, 2, 3);
            config.dialect = kinds[i].dialect;
            config.norm = kinds[i].norm;
            config.O = config.norm == MODEL_BATCH ? 4 : 0;
            if (i % 2) {
                config.trained = (struct distribution){ .n_min = 20, .n_max = 50, .prize = PRIZE_UNIF };
                if ((*problem)->many_routes)
                    config.trained.capacity_min = 10, config.trained.capacity_max = 40;
                if (!(*problem)->prize_kinds)
                    config.trained.prize = PRIZE_CONST;
                else
                    config.trained.length_min = 1.1, config.trained.length_max = 4.0 / 3;
                config.trained.layout = i % 3 ? NODES_CLUSTER : NODES_MIXED;
                config.instances = 1280000000000;
                config.has_validation = true;
                config.validation = -5.1234567890123456;
                config.best_decoder = 2;
            }
            struct weights weights, back;
            weights_draw(&weights, &config, i);
            struct text bytes = model_bytes(&weights), again = model_bytes(&weights);
            munit_assert_size(bytes.size, ==, again.size);
            munit_assert_memory_equal(bytes.size, bytes.data, again.data);
            munit_assert_size((bytes.size - weights.count * 4) % 8, ==, 0); // values are aligned in a mapped file
            if (!weights_parse(bytes.data, bytes.size, &back))
                munit_error(error_text());
            expect_same(&weights, &back);
            weights_finish(&weights), weights_finish(&back);
            text_finish(&bytes), text_finish(&again);
        }
    }
    return MUNIT_OK;
}

static MunitResult test_files(const MunitParameter params[], void *folder)
{
    (void)params;
    struct config config = tiny_config("tsp", 1, 1);
    struct weights weights, back;
    weights_draw(&weights, &config, 1);
    char *path = xformat("%s/small.safetensors", (char *)folder), *bad = xformat("%s/bad", (char *)folder);
    munit_assert_true(weights_save(path, &weights));
    munit_assert_true(weights_load(path, &back));
    munit_assert_string_equal(back.name, "small.safetensors");
    expect_same(&weights, &back);
    weights_finish(&back);
    munit_assert_true(file_write(bad, "nonsense", 8));
    char *sentence = xformat("%s: *", bad);
    expect_refused(weights_load(bad, &back), sentence);
    char *missing = xformat("%s/none/x", (char *)folder);
    munit_assert_false(weights_save(missing, &weights));
    munit_assert_int(error_fault(), ==, FAULT_INPUT);
    free(path), free(bad), free(sentence), free(missing);
    weights_finish(&weights);
    return MUNIT_OK;
}

// The data itself goes wrong: the checksum sees it, unless the file was made so.
static MunitResult test_values(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct config config = tiny_config("cvrp", 1, 1);
    config.dialect = DIALECT_REFERENCE;
    config.norm = MODEL_RUNNING;
    struct weights weights, back;
    weights_draw(&weights, &config, 1);
    static const struct {
        uint32_t bits;
        const char *sentence;
    } values[] = { { 0x7FC00000, "layer0.ff2.bias: number 5 is not finite" },
        { 0x7F800000, "layer0.ff2.bias: number 5 is not finite" },
        { 0xFF800000, "layer0.ff2.bias: number 5 is not finite" } };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        memcpy(weights_at(&weights, weights.params.layers[0].ff2_bias) + 5, &values[i].bits, 4);
        struct text bytes = model_bytes(&weights);
        expect_refused(weights_parse(bytes.data, bytes.size, &back), values[i].sentence);
        text_finish(&bytes);
    }
    weights_at(&weights, weights.params.layers[0].ff2_bias)[5] = 0;
    weights_at(&weights, weights.stats.plain)[3 * 8 + 1] = -0.5f;
    struct text bytes = model_bytes(&weights);
    expect_refused(weights_parse(bytes.data, bytes.size, &back), "stats.plain: *");
    text_finish(&bytes);

    weights_at(&weights, weights.stats.plain)[3 * 8 + 1] = 1;
    bytes = model_bytes(&weights);
    for (size_t at = bytes.size - weights.count * 4; at < bytes.size; at += 97) {
        bytes.data[at] ^= 1;
        munit_assert_false(weights_parse(bytes.data, bytes.size, &back));
        munit_assert_not_null(strstr(error_text(), "the model is damaged: its checksum is "));
        bytes.data[at] ^= 1;
    }
    text_finish(&bytes);
    weights_finish(&weights);
    return MUNIT_OK;
}

// A header that says something else than the data and the configuration.
static MunitResult test_metadata(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *from, *to, *sentence;
    } edits[] = {
        { "\"format_version\":\"2\",", "", "not a model of mdam-vk: metadata \"format_version\" is required" },
        { "\"format_version\":\"2\"", "\"format_version\":\"3\"",
            "format version 3; this program reads versions 1 and 2" },
        { "\"checksum\":", "\"sum\":", "metadata \"checksum\" is required" },
        { "\"problem\":\"op\"", "\"problem\":\"vrp\"", "metadata \"problem\": *" },
        { "\"problem\":\"op\",", "", "metadata \"problem\" is required" },
        { "\"native\"", "\"welsh\"", "metadata \"dialect\": *" },
        { "\"native\"", "\"reference\"", "the reference dialect has no normalisation \"batch\"" },
        { "\"batch\"", "\"\"", "metadata \"norm\": *" },
        { "\"norm\":\"batch\",", "", "metadata \"norm\" is required" },
        { "\"D\":\"8\"", "\"D\":\"8.5\"", "metadata \"D\": *" },
        { "\"D\":\"8\"", "\"D\":\"-8\"", "metadata \"D\": *" },
        { "\"D\":\"8\"", "\"D\":\"99999999999999999999\"", "metadata \"D\": *" },
        { "\"D\":\"8\"", "\"D\":\"16\"", "embed: *" },
        { "\"D\":\"8\"", "\"D\":\"4096\"", "the embedding size *" },
        { "\"H\":\"2\"", "\"H\":\"3\"", "heads: *" },
        { "\"L\":\"1\"", "\"L\":\"33\"", "the number of layers *" },
        { "\"L\":\"1\"", "\"L\":\"2\"", "layer1.qkv: missing" },
        { "\"M\":\"2\"", "\"M\":\"64\"", "decoder.kvl: *" },
        { "\"M\":\"2\"", "\"M\":\"1\"", "best decoder 1 of 1" },
        { "\"p\":\"2\",", "", "metadata \"p\" is required" },
        { "\"trained_n\":\"20..50\"", "\"trained_n\":\"20\"", "metadata \"trained_n\": *" },
        { "\"trained_n\":\"20..50\"", "\"trained_n\":\"50..20\"", "metadata \"trained_n\": *" },
        { "\"trained_n\":\"20..50\"", "\"trained_n\":\"1..4000000\"", "metadata \"trained_n\": n: *" },
        { "\"trained_n\"", "\"trained_capacity\":\"7..9\",\"trained_n\"", "metadata \"trained_n\": capacity: *" },
        { "\"trained_n\"", "\"trained_length\":\"2..1\",\"trained_n\"", "metadata \"trained_length\": *" },
        { "\"trained_n\"", "\"trained_layout\":\"square\",\"trained_n\"", "metadata \"trained_layout\": *" },
        { "\"unif\"", "\"cash\"", "metadata \"trained_prize\": *" },
        { "\"validation\":\"5.5\"", "\"validation\":\"nan\"", "metadata \"validation\": *" },
        { "\"instances\":\"0\"", "\"instances\":\"many\"", "metadata \"instances\": *" },
        { "\"best_decoder\":\"1\"", "\"best_decoder\":\"2\"", "best decoder 2 of 2" },
        { "\"layer0.out\"", "\"layer0.in\"", "layer0.out: missing" },
        { "\"stats.glimpse\"", "\"stats.more\"", "stats.glimpse: missing" },
        { "\"O\":\"1\"", "\"O\":\"0\"", "glimpses *" },
        { "\"p\":\"2\",\"O\":\"1\"", "\"p\":\"0\",\"O\":\"0\"", "stats.glimpse: *" },
        { "\"shape\":[8,24]", "\"shape\":[24,8]", "layer0.qkv: *" },
        { "\"shape\":[8,24]", "\"shape\":[1,8,24]", "layer0.qkv: *" },
    };
    struct config config = tiny_config("op", 1, 2);
    config.norm = MODEL_BATCH;
    config.O = 1;
    config.best_decoder = 1;
    config.has_validation = true;
    config.validation = 5.5;
    config.trained = (struct distribution){ .n_min = 20, .n_max = 50, .prize = PRIZE_UNIF };
    struct weights weights, back;
    weights_draw(&weights, &config, 1);
    struct text bytes = model_bytes(&weights);
    char *header = model_header(&bytes);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char *changed = replaced(header, edits[i].from, edits[i].to);
        if (!changed)
            munit_errorf("%s is not in %s", edits[i].from, header);
        struct text edited = model_with_header(&bytes, changed);
        expect_refused(weights_parse(edited.data, edited.size, &back), edits[i].sentence);
        text_finish(&edited);
        free(changed);
    }
    free(header);
    text_finish(&bytes);
    weights_finish(&weights);
    return MUNIT_OK;
}

// The header with other words in it, and the tensors' data in the opposite order, as other programs might write it.
static struct text reversed(const struct text *model)
{
    struct safetensors file;
    munit_assert_true(safetensors_parse(&file, model->data, model->size));
    char *header = model_header(model);
    char *metadata = strchr(header + 1, '{'), *end = strchr(metadata, '}');
    struct text json = { 0 }, text = { 0 };
    char *values = xcalloc(file.size, 1);
    uint64_t at = 0;
    for (ptrdiff_t i = arrlen(file.tensors) - 1; i >= 0; i--) {
        const struct stored *stored = &file.tensors[i];
        uint64_t bytes = stored->end - stored->begin;
        text_add(&json, "%s\"%s\": {\"data_offsets\": [%llu, %llu], \"shape\": [", json.size ? ", " : "{", stored->name,
            (unsigned long long)at, (unsigned long long)(at + bytes));
        for (int k = 0; k < stored->shape.rank; k++)
            text_add(&json, "%s%u", k ? ", " : "", stored->shape.dim[k]);
        text_add(&json, "], \"dtype\": \"F32\"}");
        memcpy(values + at, file.data + stored->begin, bytes);
        at += bytes;
    }
    text_add(&json, ", \"__metadata__\": %.*s}}", (int)(end - metadata), metadata);
    text = model_with_header(model, json.data);
    memcpy(text.data + text.size - file.size, values, file.size);
    text_finish(&json);
    free(values), free(header);
    safetensors_finish(&file);
    return text;
}

// As version 1 wrote it, whose checksum was of the data alone.
static struct text older(const struct text *model, const struct weights *weights)
{
    char *header = model_header(model),
         *version = replaced(header, "\"format_version\":\"2\"", "\"format_version\":\"1\"");
    char *sum = strstr(version, "\"checksum\":\"") + strlen("\"checksum\":\""), digits[17];
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)hash_bytes(weights->values, weights->count * 4));
    memcpy(sum, digits, 16);
    struct text text = model_with_header(model, version);
    free(header), free(version);
    return text;
}

static MunitResult test_order(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct config config = tiny_config("cvrp", 2, 3);
    struct weights weights, back;
    weights_draw(&weights, &config, 1);
    struct text model = model_bytes(&weights), first = older(&model, &weights);
    struct text files[] = { model, reversed(&model), first, reversed(&first) };
    for (size_t i = 0; i < 4; i++) {
        if (!weights_parse(files[i].data, files[i].size, &back))
            munit_error(error_text());
        expect_same(&weights, &back);
        weights_finish(&back);
        files[i].data[files[i].size - 3] ^= 1;
        munit_assert_false(weights_parse(files[i].data, files[i].size, &back));
        text_finish(&files[i]);
    }
    weights_finish(&weights);
    return MUNIT_OK;
}

// No flipped bit in front of the data changes what a model is.
static MunitResult test_flips(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct config config = tiny_config("op", 1, 1);
    config.has_validation = true;
    config.trained = (struct distribution){ .n_min = 20, .n_max = 50, .prize = PRIZE_UNIF };
    struct weights weights, back;
    weights_draw(&weights, &config, 1);
    struct text model = model_bytes(&weights);
    size_t header = model.size - weights.count * 4;
    for (size_t bit = 0; bit < 8 * header; bit++) {
        model.data[bit / 8] ^= (char)(1 << bit % 8);
        if (weights_parse(model.data, model.size, &back)) {
            expect_same(&weights, &back);
            weights_finish(&back);
        }
        model.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    text_finish(&model);
    weights_finish(&weights);
    return MUNIT_OK;
}

// A selected decoder has the same weights at its new index; everything else stays.
static MunitResult test_select(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const uint32_t order[] = { 3, 1 }, twice[] = { 1, 1 }, beyond[] = { 4 }, others[] = { 0, 2 };
    struct config config = tiny_config("sdvrp", 2, 4);
    config.best_decoder = 1;
    struct weights all, some;
    weights_draw(&all, &config, 1);
    weights_draw(&some, &config, 1);
    munit_assert_true(weights_select(&some, order, 2));
    munit_assert_uint32(some.config.M, ==, 2);
    munit_assert_uint32(some.config.best_decoder, ==, 1);
    struct named *from = weights_list(&all), *to = weights_list(&some);
    munit_assert_size(arrlenu(from), ==, arrlenu(to));
    for (size_t i = 0; i < arrlenu(to); i++) {
        const float *source = weights_at(&all, from[i].tensor), *target = weights_at(&some, to[i].tensor);
        uint64_t floats = tensor_count(&to[i].tensor), whole = tensor_count(&from[i].tensor);
        if (whole == floats)
            munit_assert_memory_equal(floats * 4, source, target);
        for (uint64_t m = 0; whole != floats && m < 2; m++)
            munit_assert_memory_equal(floats * 2, source + order[m] * whole / 4, target + m * floats / 2);
        munit_assert_int(whole != floats, ==, !strncmp(to[i].name, "decoder.", 8));
    }
    arrfree(from), arrfree(to);
    munit_assert_true(weights_check(&some));
    expect_refused(weights_select(&all, twice, 2), "decoder 1 is selected twice");
    expect_refused(weights_select(&all, beyond, 1), "decoder 4: there are 4, counted from 0");
    expect_refused(weights_select(&all, order, 0), "no decoder is selected");
    munit_assert_true(weights_select(&all, others, 2)); // the best one is gone
    munit_assert_uint32(all.config.best_decoder, ==, 0);
    weights_finish(&all), weights_finish(&some);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/round-trip", test_round_trip),
    FOLDER_TEST("/files", test_files, NULL),
    TEST("/values", test_values),
    TEST("/metadata", test_metadata),
    TEST("/order", test_order),
    TEST("/flips", test_flips),
    TEST("/select", test_select),
    TEST_END,
};
SUITE("/checkpoint/weights", tests)
