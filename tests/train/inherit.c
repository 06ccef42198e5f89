#include "train/inherit.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "model/initial.h"
#include "suite.h"
#include "tests/train/support.h"

static void draw(struct weights *weights, const char *problem, uint32_t M, uint64_t seed)
{
    struct config config = small_settings(problem).config;
    config.M = M;
    weights_draw(weights, &config, seed);
}

// The names with blanks in between; frees the list.
static void expect_names(char **list, const char *names)
{
    struct text text = { 0 };
    text_add(&text, "%s", "");
    for (size_t i = 0; i < arrlenu(list); i++) {
        text_add(&text, "%s%s", i ? " " : "", list[i]);
        free(list[i]);
    }
    munit_assert_string_equal(text.data ? text.data : "", names);
    arrfree(list);
    text_finish(&text);
}

static void expect_left(struct weights *to, const struct weights *from, const char *names, const char *dropped_names)
{
    char **left = NULL, **dropped = NULL;
    munit_assert_true(inherit_weights(to, from, &left, &dropped));
    expect_names(left, names);
    expect_names(dropped, dropped_names);
}

static MunitResult test_same(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct weights to, from;
    draw(&to, "pctsp", 3, 1);
    draw(&from, "spctsp", 3, 2);
    expect_left(&to, &from, "", "");
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
    expect_left(&to, &from, "dynamic", "");
    munit_assert_memory_equal(
        3 * 16 * sizeof(float), weights_at(&to, to.params.dynamic), weights_at(&fresh, fresh.params.dynamic));
    munit_assert_memory_equal(16 * 48 * sizeof(float), weights_at(&to, to.params.layers[1].qkv),
        weights_at(&from, from.params.layers[1].qkv));
    weights_finish(&from);
    draw(&from, "cvrp", 2, 2);
    expect_left(&to, &from, "dynamic decoder.kvl decoder.fixed decoder.step decoder.out", "");
    weights_finish(&to), weights_finish(&from), weights_finish(&fresh);
    return MUNIT_OK;
}

static MunitResult test_dropped(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct weights to, from;
    struct config config = small_settings("cvrp").config;
    weights_draw(&from, &config, 1);
    config.L = 1;
    weights_draw(&to, &config, 1);
    expect_left(&to, &from, "",
        "layer1.qkv layer1.out layer1.norm1.gain layer1.norm1.bias layer1.ff1.weight layer1.ff1.bias "
        "layer1.ff2.weight layer1.ff2.bias layer1.norm2.gain layer1.norm2.bias");
    weights_finish(&to), weights_finish(&from);
    return MUNIT_OK;
}

static MunitResult test_nothing(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct weights to, from;
    char **left = NULL, **dropped = NULL;
    struct config config = small_settings("tsp").config;
    weights_init(&to, &config);
    config.D = 32, config.F = 24, config.M = 1;
    weights_init(&from, &config);
    expect_refused(inherit_weights(&to, &from, &left, &dropped), "no weight *");
    munit_assert_true(!left && !dropped);
    weights_finish(&to), weights_finish(&from);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/same", test_same),
    TEST("/other", test_other),
    TEST("/dropped", test_dropped),
    TEST("/nothing", test_nothing),
    TEST_END,
};
SUITE("/train/inherit", tests)
