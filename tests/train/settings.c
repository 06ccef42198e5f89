#include "train/settings.h"

#include <jansson.h>

#include "expect.h"
#include "suite.h"
#include "tests/train/support.h"

static MunitResult test_json(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct train_settings settings = small_settings("cvrp"), back;
    settings.drawn.capacity_min = settings.drawn.capacity_max = 31;
    settings.drawn.layout = NODES_CLUSTER;
    settings.lr = 0.1 + 0.2; // needs all 17 digits
    settings.baseline = BASELINE_SHARED;
    json_t *json = settings_to_json(&settings);
    munit_assert_true(settings_from_json(&back, json));
    munit_assert_memory_equal(sizeof settings, &settings, &back);
    static const char *const newer[] = { "drawn.n_min", "drawn.n_max", "drawn.capacity_min", "drawn.capacity_max",
        "drawn.layout", "drawn.length_min", "drawn.length_max", "config.trained.layout", "config.trained.length_min",
        "config.trained.length_max" };
    settings.drawn.layout = NODES_UNIFORM; // the only one that older checkpoints know
    settings.config.trained = settings.drawn;
    json_decref(json);
    json = settings_to_json(&settings);
    for (size_t i = 0; i < sizeof newer / sizeof newer[0]; i++)
        munit_assert_int(json_object_del(json, newer[i]), ==, 0);
    munit_assert_true(settings_from_json(&back, json));
    munit_assert_memory_equal(sizeof settings, &settings, &back);
    json_object_del(json, "kl"); // an option that is newer than the checkpoint has its default
    munit_assert_true(settings_from_json(&back, json));
    munit_assert_double(back.kl, ==, 0.01);
    json_object_set_new(json, "kl", json_string("1"));
    expect_refused(settings_from_json(&back, json), "\"kl\" *");
    json_object_set_new(json, "kl", json_real(2e6));
    expect_refused(settings_from_json(&back, json), "kl: *");
    json_object_set_new(json, "kl", json_real(1));
    json_object_del(json, "steps");
    expect_refused(settings_from_json(&back, json), "\"steps\" *");
    json_object_set_new(json, "steps", json_integer(1));
    json_object_set_new(json, "B", json_integer(-1));
    expect_refused(settings_from_json(&back, json), "\"B\" *");
    json_object_set_new(json, "problem", json_string("knapsack"));
    expect_refused(settings_from_json(&back, json), "its settings *");
    json_decref(json);
    return MUNIT_OK;
}

static MunitResult test_check(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct train_settings settings = small_settings("tsp");
    munit_assert_true(settings_check(&settings));
    settings.baseline = BASELINE_SHARED;
    settings.S = settings.config.M = 1;
    expect_refused(settings_check(&settings), "baseline: *");
    settings.S = 0;
    expect_refused(settings_check(&settings), "rollouts: *");
    settings.S = 2;
    settings.parts = 3;
    settings.B = 8;
    expect_refused(settings_check(&settings), "parts: *");
    settings.parts = 0;
    expect_refused(settings_check(&settings), "parts: *");
    settings.parts = 4;
    settings.drawn.capacity_max = settings.drawn.capacity_min = 9;
    expect_refused(settings_check(&settings), "capacity: *");
    return MUNIT_OK;
}

// Parts that are not given, and those of checkpoints that are older than they.
static MunitResult test_parts(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const uint32_t expected[][2] = { { 1, 1 }, { 64, 1 }, { 127, 1 }, { 128, 8 }, { 512, 8 }, { 150, 6 },
        { 131, 1 } };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        munit_assert_uint32(settings_parts(expected[i][0]), ==, expected[i][1]);
    struct train_settings settings = small_settings("tsp"), back;
    settings.B = 64;
    settings.parts = 8;
    json_t *json = settings_to_json(&settings);
    munit_assert_true(settings_from_json(&back, json));
    munit_assert_uint32(back.parts, ==, 8);
    json_object_del(json, "parts");
    munit_assert_true(settings_from_json(&back, json));
    munit_assert_uint32(back.parts, ==, 1);
    json_decref(json);
    return MUNIT_OK;
}

static MunitResult test_rate(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct train_settings settings = small_settings("tsp"); // 4 epochs of 10 steps
    settings.lr_decay = 0.5;
    munit_assert_double_equal(settings_rate(&settings, 9), 1e-3, 15);
    munit_assert_double_equal(settings_rate(&settings, 10), 5e-4, 15);
    munit_assert_double_equal(settings_rate(&settings, 39), 1.25e-4, 15);
    settings.lr_decay = 1;
    settings.lr_final = 1e-5;
    munit_assert_double_equal(settings_rate(&settings, 0), 1e-3, 15);
    munit_assert_double_equal(settings_rate(&settings, 20), (1e-3 + 1e-5) / 2, 15);
    munit_assert_double_equal(settings_rate(&settings, 40), 1e-5, 15);
    munit_assert_double_equal(settings_rate(&settings, 400), 1e-5, 15); // resumed with fewer epochs than are done
    return MUNIT_OK;
}

static MunitResult test_glimpse(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct train_settings settings = small_settings("tsp");
    settings.eg_from = 2;
    munit_assert_false(settings_glimpse(&settings, 1));
    munit_assert_true(settings_glimpse(&settings, 2));
    settings.config.p = 0;
    munit_assert_false(settings_glimpse(&settings, 2));
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/json", test_json),
    TEST("/check", test_check),
    TEST("/parts", test_parts),
    TEST("/rate", test_rate),
    TEST("/glimpse", test_glimpse),
    TEST_END,
};
SUITE("/train/settings", tests)
