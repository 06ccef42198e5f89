#include "model/fit.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "tests/model/support.h"

static struct config trained_config(const char *problem, struct distribution trained)
{
    struct config config = tiny_config(problem, 1, 1);
    config.trained = trained;
    config.instances = 1000;
    return config;
}

// Expects exactly this warning; NULL: none.
static void expect_warning(const struct config *config, const struct instance *instance, const char *warning)
{
    char **warnings = NULL;
    fit_warn(config, instance, &warnings);
    munit_assert_size(arrlenu(warnings), ==, warning ? 1 : 0);
    if (warning)
        expect_message(warnings[0], warning);
    for (size_t i = 0; i < arrlenu(warnings); i++)
        free(warnings[i]);
    arrfree(warnings);
}

// Expects this warning for instances as `generate` draws them.
static void expect_generated(const struct config *config, struct distribution drawn, const char *warning)
{
    for (uint32_t index = 0; index < 20; index++) {
        struct instance instance;
        config->problem->generate(&instance, &drawn, 7, index);
        expect_warning(config, &instance, warning);
        instance_finish(&instance);
    }
}

// Instances of the distribution that a model was trained on give no warning.
static MunitResult test_same(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (const struct problem *const *problem = problems; *problem; problem++) {
        for (int kind = 0; kind < 3; kind++) {
            struct distribution drawn = { .n_min = 20, .n_max = 50, .prize = (enum prize_kind)kind };
            struct config config = trained_config((*problem)->name, drawn);
            expect_generated(&config, drawn, NULL);
        }
    }
    return MUNIT_OK;
}

static MunitResult test_untrained(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct distribution drawn = { .n_min = 20, .n_max = 20 };
    struct config config = trained_config("tsp", (struct distribution){ 0 });
    expect_generated(&config, drawn, NULL); // its training distribution is unknown
    config.instances = 0;
    expect_generated(&config, drawn, "the model is untrained: *");
    config.dialect = DIALECT_REFERENCE; // imported: the length of its training is unknown
    expect_generated(&config, drawn, NULL);
    return MUNIT_OK;
}

static MunitResult test_size(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct config config = trained_config("tsp", (struct distribution){ .n_min = 20, .n_max = 20 });
    expect_generated(
        &config, (struct distribution){ .n_min = 21, .n_max = 21 }, "n = 21; the model was trained on n = 20");
    config.trained.n_max = 50;
    expect_generated(&config, (struct distribution){ .n_min = 21, .n_max = 50 }, NULL);
    expect_generated(
        &config, (struct distribution){ .n_min = 19, .n_max = 19 }, "n = 19; the model was trained on n = 20..50");
    expect_generated(
        &config, (struct distribution){ .n_min = 100, .n_max = 100 }, "n = 100; the model was trained on n = 20..50");
    expect_generated(&config, (struct distribution){ .n_min = 101, .n_max = 101 },
        "n = 101; the model was trained on n = 20..50: *");
    return MUNIT_OK;
}

static MunitResult test_capacity(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct distribution drawn = { .n_min = 20, .n_max = 20 };
    struct config config = trained_config("cvrp", drawn);
    drawn.capacity_min = drawn.capacity_max = 31;
    expect_generated(&config, drawn, "capacity 31; the model was trained with 30");
    config.trained.capacity_min = 31;
    config.trained.capacity_max = 40;
    expect_generated(&config, drawn, NULL);

    // The same in other units: kilograms instead of units of cargo.
    struct instance instance;
    config.problem->generate(&instance, &drawn, 7, 0);
    for (uint32_t i = 0; i < instance.n; i++)
        instance.demand[i] = 5000;
    instance.capacity = 35000;
    expect_warning(&config, &instance, NULL);
    instance.capacity = 70000;
    expect_warning(&config, &instance, "average customers in a load: 14; the model was trained with 6.2..8");
    for (uint32_t i = 0; i < instance.n; i++)
        instance.demand[i] = 0;
    expect_warning(&config, &instance, "no customer has a demand*");
    instance_finish(&instance);
    return MUNIT_OK;
}

static MunitResult test_length(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct distribution drawn = { .n_min = 20, .n_max = 20, .prize = PRIZE_UNIF };
    struct config config = trained_config("op", drawn);
    struct instance instance;
    config.problem->generate(&instance, &drawn, 7, 0);
    expect_warning(&config, &instance, NULL);
    instance.max_length = 2.5;
    expect_warning(&config, &instance, "length limit 2.5; the model was trained with 2");
    instance_finish(&instance);
    return MUNIT_OK;
}

static MunitResult test_prizes(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char *const sentences[3][3] = {
        { NULL, "prizes are independent*", "prizes are in proportion*" },
        { "prizes are all equal*", NULL, "prizes are in proportion*" },
        { "prizes are all equal*", "prizes are independent*", NULL },
    };
    for (int trained = 0; trained < 3; trained++) {
        for (int drawn = 0; drawn < 3; drawn++) {
            struct distribution distribution = { .n_min = 20, .n_max = 20, .prize = (enum prize_kind)trained };
            struct config config = trained_config("op", distribution);
            distribution.prize = (enum prize_kind)drawn;
            expect_generated(&config, distribution, sentences[trained][drawn]);
        }
    }
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/same", test_same),
    TEST("/untrained", test_untrained),
    TEST("/size", test_size),
    TEST("/capacity", test_capacity),
    TEST("/length", test_length),
    TEST("/prizes", test_prizes),
    TEST_END,
};
SUITE("/model/fit", tests)
