// The tables of options are correct, and the functions that accept options follow them.
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "mdam/mdam.h"
#include "search/strategy.h"
#include "suite.h"
#include "util/error.h"
#include "util/option.h"

static const struct {
    enum mdam_option_table table;
    size_t bytes; // of the struct
} tables[] = {
    { MDAM_OPTIONS_DEVICE, sizeof(struct mdam_device_options) },
    { MDAM_OPTIONS_SOLVE, sizeof(struct mdam_solve_options) },
    { MDAM_OPTIONS_TRAIN, sizeof(struct mdam_train_options) },
    { MDAM_OPTIONS_TRAIN_RUN, sizeof(struct mdam_train_options) },
    { MDAM_OPTIONS_GENERATE, sizeof(struct mdam_generate_options) },
    { MDAM_OPTIONS_INIT, sizeof(struct mdam_init_options) },
};

static MunitResult test_tables(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct mdam_option *table = mdam_options(tables[i].table);
        munit_assert_not_null(table->name);
        for (const struct mdam_option *option = table; option->name; option++) {
            munit_assert_size(option->offset, >=, sizeof(size_t)); // behind the size
            munit_assert_size(option->offset, <, tables[i].bytes);
            munit_assert_true(option->help && *option->help);
            munit_assert_true(option->value || option->kind == MDAM_OPTION_SWITCH);
            munit_assert_true(!option->flag || option->flag[0] == '-');
            bool number = option->kind == MDAM_OPTION_COUNT || option->kind == MDAM_OPTION_REAL;
            if (number && option->usual != 0)
                munit_assert_true(option_allows(table, option->name, option->usual));
            for (const struct mdam_option *other = table; other < option; other++) {
                munit_assert_string_not_equal(other->name, option->name);
                munit_assert_size(other->offset, !=, option->offset);
                munit_assert_true(!other->flag || !option->flag || strcmp(other->flag, option->flag));
            }
        }
    }
    return MUNIT_OK;
}

static MunitResult test_defaults(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct mdam_solve_options options = { sizeof options, .seed = 7 }, resolved;
    munit_assert_true(mdam_solve_check(NULL, &resolved));
    munit_assert_uint32(resolved.beam, ==, 30);
    munit_assert_uint32(resolved.expand, ==, 3);
    munit_assert_uint32(resolved.augment, ==, 1);
    munit_assert_uint32(resolved.samples, ==, 0); // does not go with a beam
    munit_assert_uint64(resolved.seed, ==, 0);
    options.decode = MDAM_DECODE_SAMPLE;
    munit_assert_true(mdam_solve_check(&options, &resolved));
    munit_assert_uint32(resolved.samples, ==, 16);
    munit_assert_double(resolved.temperature, ==, 1);
    munit_assert_uint32(resolved.beam, ==, 0);
    munit_assert_uint64(resolved.seed, ==, 7);
    struct mdam_train_options train = { sizeof train, .kl = -1, .n_min = 5 };
    options_fill(mdam_options(MDAM_OPTIONS_TRAIN), &train);
    munit_assert_double(train.kl, ==, 0); // none
    munit_assert_uint32(train.n_max, ==, 5);
    munit_assert_uint32(train.batch, ==, 512);
    munit_assert_double(train.lr, ==, 1e-4);
    return MUNIT_OK;
}

// The names of the strategies are the words of the option, in the order of the enum.
static MunitResult test_strategies(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (const struct strategy *const *s = strategies; *s; s++) {
        char word[OPTION_WORD];
        option_choice(mdam_options(MDAM_OPTIONS_SOLVE), "decode", (int)(*s)->decode, word);
        munit_assert_string_equal(word, (*s)->name);
    }
    return MUNIT_OK;
}

static void expect_field(bool ok, const char *field)
{
    munit_assert_false(ok);
    munit_assert_int(mdam_error_fault(), ==, MDAM_FAULT_INPUT);
    munit_assert_not_null(mdam_error_field());
    munit_assert_string_equal(mdam_error_field(), field);
    const size_t length = strlen(field);
    munit_assert_true(
        !strncmp(mdam_error(), field, length) &&
        (mdam_error()[length] == ':' || !strncmp(mdam_error() + length, " and ", 5))); // the sentence begins with it
}

static MunitResult test_refused(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        struct mdam_train_options options;
        const char *field;
    } cases[] = {
        { { 0, .n_min = 5 }, "problem" },
        { { 0, .problem = "knapsack", .n_min = 5 }, "problem" },
        { { 0, .problem = "tsp", .n_min = 5, .n_max = 4 }, "n" },
        { { 0, .problem = "tsp", .n_min = 5, .batch = 1 << 21 }, "batch" },
        { { 0, .problem = "tsp", .n_min = 5, .lr = -1 }, "lr" },
        { { 0, .problem = "tsp", .n_min = 5, .norm = "none" }, "norm" },
        { { 0, .problem = "tsp", .n_min = 5, .prize = "unif" }, "prize" },
        { { 0, .problem = "tsp", .n_min = 5, .capacity_min = 9 }, "capacity" },
        { { 0, .problem = "tsp", .n_min = 5, .max_length_min = 2 }, "max_length" },
        { { 0, .problem = "op", .n_min = 5, .max_length_min = 2, .max_length_max = 1 }, "max_length" },
        { { 0, .problem = "op", .n_min = 5, .max_length_min = 1e-4 }, "max_length" },
        { { 0, .problem = "op", .n_min = 5, .layout = "square" }, "layout" },
        { { 0, .problem = "tsp", .n_min = 5, .glimpse = -2 }, "glimpse" },
        { { 0, .problem = "tsp", .n_min = 5, .heads = 3 }, "heads" },
        { { 0, .problem = "tsp", .n_min = 5, .baseline = (enum mdam_baseline)2 }, "baseline" },
        { { 0, .problem = "tsp", .n_min = 5, .time_limit = -3 }, "time_limit" },
        { { 0, .problem = "tsp", .n_min = 5, .lr_decay = 0.9, .lr_final = 1e-5 }, "lr_decay" },
        { { 0, .problem = "tsp", .n_min = 5, .imitate_from = MDAM_IMITATE_PREFIX }, "imitate_from" },
        { { 0, .problem = "spctsp", .n_min = 5, .recipe = MDAM_RECIPE_FAST, .imitate_from = MDAM_IMITATE_PREFIX },
            "imitate_from" },
        { { 0, .problem = "tsp", .n_min = 5, .data = "none" }, "n" },
        { { 0, .problem = "op", .prize = "unif", .data = "none" }, "prize" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mdam_train_options options = cases[i].options;
        options.size = sizeof options;
        expect_field(mdam_train_check(&options), cases[i].field);
    }
    struct mdam_train_options good = { sizeof good, .problem = "op", .n_min = 5, .prize = "unif", .kl = -1 };
    munit_assert_true(mdam_train_check(&good));
    good.prize = good.layout = "mixed";
    good.max_length_min = 1.5;
    good.max_length_max = 4;
    munit_assert_true(mdam_train_check(&good));
    good.recipe = MDAM_RECIPE_FAST;
    good.imitate_from = MDAM_IMITATE_PREFIX; // the recipe imitates
    good.glimpse_from = 20;                  // a resumed training may have more epochs
    good.lr_decay = 0.9;                     // instead of the recipe's cosine
    munit_assert_true(mdam_train_check(&good));
    good.lr_decay = 1; // none
    good.lr_final = 1e-5;
    munit_assert_true(mdam_train_check(&good));
    fail_field(FAULT_INPUT, "beam", "is wrong");
    error_show_fields("--beam", "");
    munit_assert_string_equal(mdam_error(), "--beam: is wrong");
    fail_fields(FAULT_INPUT, "lr_decay", "lr_final", "are too many");
    munit_assert_string_equal(mdam_error(), "lr_decay and lr_final: are too many");
    munit_assert_string_equal(mdam_error_field(), "lr_decay");
    error_show_fields("--lr-decay", "--lr-final");
    munit_assert_string_equal(mdam_error(), "--lr-decay and --lr-final: are too many");
    munit_assert_null(error_other_field());
    fail_field(FAULT_INPUT, "heads", "are wrong");
    fail_within("x.safetensors");
    munit_assert_string_equal(mdam_error(), "x.safetensors: heads: are wrong");
    munit_assert_null(mdam_error_field()); // it is about the file
    munit_assert_uint32(mdam_api_version(), ==, MDAM_API_VERSION);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/tables", test_tables),
    TEST("/defaults", test_defaults),
    TEST("/strategies", test_strategies),
    TEST("/refused", test_refused),
    TEST_END,
};
SUITE("/api/options", tests)
