#include "checkpoint/export.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "checkpoint/import.h"
#include "expect.h"
#include "model/initial.h"
#include "suite.h"
#include "tests/model/support.h"
#include "util/alloc.h"
#include "util/error.h"

static size_t finish_notes(char ***notes)
{
    size_t count = arrlenu(*notes);
    for (size_t i = 0; i < count; i++)
        free((*notes)[i]);
    arrfree(*notes);
    return count;
}

static void draw(struct weights *weights, const struct problem *problem, enum dialect dialect, enum model_norm norm,
    uint32_t M, uint32_t p)
{
    struct config config = tiny_config(problem->name, 3, M);
    config.F = 16;
    config.dialect = dialect;
    config.norm = norm;
    config.p = p;
    config.O = norm == MODEL_BATCH ? 1 : 0;
    weights_draw(weights, &config, 1);
    for (uint64_t i = 0; weights->stats.plain.rank && i < tensor_count(&weights->stats.plain); i++)
        weights_at(weights, weights->stats.plain)[i] = 1 + 0.001f * (float)i;
}

// Every problem, both programs, both kinds of files: the same weights come back.
static MunitResult test_round_trip(const MunitParameter params[], void *folder)
{
    (void)params;
    static const struct {
        enum model_norm norm;
        uint32_t M, p;
        bool attention;
        const char *ending;
    } kinds[] = { { MODEL_BATCH_LIVE, 4, 3, false, "pt" }, { MODEL_INSTANCE, 2, 5, false, "safetensors" },
        { MODEL_INSTANCE, 3, 0, false, "pt" }, { MODEL_RUNNING, 1, 0, true, "safetensors" },
        { MODEL_INSTANCE, 1, 0, true, "pt" } };
    for (const struct problem *const *problem = problems; *problem; problem++) {
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            struct weights weights, back;
            char *path = xformat("%s/file.%s", (char *)folder, kinds[i].ending), **notes = NULL;
            char *args = xformat("%s/args.json", (char *)folder);
            draw(&weights, *problem, DIALECT_REFERENCE, kinds[i].norm, kinds[i].M, kinds[i].p);
            if (!export_checkpoint(path, args, &weights, kinds[i].attention, &notes) ||
                !import_checkpoint(path, args, &back, &notes))
                munit_errorf("%s, kind %zu: %s", (*problem)->name, i, error_text());
            munit_assert_size(finish_notes(&notes), ==, 0);
            munit_assert_uint64(back.count, ==, weights.count);
            munit_assert_memory_equal(back.count * 4, back.values, weights.values);
            munit_assert_uint32(back.config.p, ==, weights.config.p);
            munit_assert_int(back.config.norm, ==, weights.config.norm);
            munit_assert_string_equal(back.config.problem->name, (*problem)->name);
            weights_finish(&weights), weights_finish(&back);
            free(path), free(args);
        }
    }
    return MUNIT_OK;
}

static MunitResult test_refused(const MunitParameter params[], void *folder)
{
    (void)params;
    static const struct {
        enum dialect dialect;
        enum model_norm norm;
        uint32_t M, p;
        bool attention;
        const char *name, *sentence;
        size_t notes;
    } table[] = {
        { DIALECT_NATIVE, MODEL_INSTANCE, 5, 2, true, "a.pt",
            "the attention model has one decoder and no glimpse, not 5 decoders and glimpses", 0 },
        { DIALECT_NATIVE, MODEL_INSTANCE, 1, 2, true, "a.pt",
            "the attention model has one decoder and no glimpse, not 1 decoder and glimpses", 0 },
        { DIALECT_NATIVE, MODEL_INSTANCE, 2, 0, true, "a.pt",
            "the attention model has one decoder and no glimpse, not 2 decoders and none", 0 },
        { DIALECT_NATIVE, MODEL_LAYER, 2, 2, false, "a.pt", "the released programs have no layer normalisation", 0 },
        { DIALECT_NATIVE, MODEL_INSTANCE, 2, 2, false, "a.bin", NULL, 0 },
        { DIALECT_NATIVE, MODEL_INSTANCE, 2, 2, false, "a.pt", "", 1 },
        { DIALECT_NATIVE, MODEL_BATCH, 2, 2, false, "a.pt", "", 2 },
        { DIALECT_NATIVE, MODEL_INSTANCE, 1, 0, true, "a.pt", "", 0 },
        { DIALECT_NATIVE, MODEL_BATCH, 1, 0, true, "a.pt", "", 0 },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct weights weights;
        char *path = xformat("%s/%s", (char *)folder, table[i].name), **notes = NULL;
        draw(&weights, &problem_cvrp, table[i].dialect, table[i].norm, table[i].M, table[i].p);
        bool ok = export_checkpoint(path, NULL, &weights, table[i].attention, &notes);
        if (!table[i].sentence)
            munit_assert_false(ok);
        else if (*table[i].sentence)
            expect_refused(ok, table[i].sentence);
        else
            munit_assert_true(ok);
        munit_assert_size(finish_notes(&notes), ==, table[i].notes);
        weights_finish(&weights);
        free(path);
    }
    return MUNIT_OK;
}

static MunitTest tests[] = {
    FOLDER_TEST("/round-trip", test_round_trip, NULL),
    FOLDER_TEST("/refused", test_refused, NULL),
    TEST_END,
};
SUITE("/checkpoint/export", tests)
