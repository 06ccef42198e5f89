#include "train/inherit.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "model/initial.h"
#include "tests/train/suites.h"

static void draw(struct weights *weights, const char *problem, uint32_t M, uint64_t seed)
{
    struct config config = small_settings(problem).config;
    config.M = M;
    weights_draw(weights, &config, seed);
}

static void expect_left(struct weights *to, const struct weights *from, const char *names)
{
    char **left = NULL;
    struct text text = { 0 };
    munit_assert_true(inherit_weights(to, from, &left));
    text_add(&text, "%s", "");
    for (size_t i = 0; i < arrlenu(left); i++) {
        text_add(&text, "%s%s", i ? " " : "", left[i]);
        free(left[i]);
    }
    munit_assert_string_equal(text.data ? text.data : "", names);
    arrfree(left);
    text_finish(&text);
}

static MunitResult test_same(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct weights to, from;
    draw(&to, "pctsp", 3, 1);
    draw(&from, "spctsp", 3, 2);
    expect_left(&to, &from, "");
    munit_assert_memory_equal(to.count * sizeof(float), to.values, from.values);
    weights_finish(&to), weights_finish(&from);
    return MUNIT_OK;
}

static MunitResult test_other(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct weights to, from, fresh;
    draw(&to, "sdvrp", 3, 1);
    draw(&fresh, "sdvrp", 3, 1);
    draw(&from, "cvrp", 3, 2);
    expect_left(&to, &from, "dynamic");
    munit_assert_memory_equal(
        3 * 16 * sizeof(float), weights_at(&to, to.params.dynamic), weights_at(&fresh, fresh.params.dynamic));
    munit_assert_memory_equal(16 * 48 * sizeof(float), weights_at(&to, to.params.layers[1].qkv),
        weights_at(&from, from.params.layers[1].qkv));
    weights_finish(&from);
    draw(&from, "cvrp", 2, 2);
    expect_left(&to, &from, "dynamic decoder.kvl decoder.fixed decoder.step decoder.out");
    weights_finish(&to), weights_finish(&from), weights_finish(&fresh);
    return MUNIT_OK;
}

static MunitResult test_nothing(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct weights to, from;
    char **left = NULL;
    struct config config = small_settings("tsp").config;
    weights_init(&to, &config);
    config.D = 32, config.F = 24, config.M = 1;
    weights_init(&from, &config);
    expect_refused(inherit_weights(&to, &from, &left), "no weight has the shape that is to be trained");
    for (size_t i = 0; i < arrlenu(left); i++)
        free(left[i]);
    arrfree(left);
    weights_finish(&to), weights_finish(&from);
    return MUNIT_OK;
}

MunitTest train_inherit_tests[] = {
    TEST("/same", test_same),
    TEST("/other", test_other),
    TEST("/nothing", test_nothing),
    TEST_END,
};
