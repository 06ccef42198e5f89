#include "train/recipe.h"

#include <string.h>

#include "expect.h"
#include "suite.h"

static MunitResult test_fast(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct mdam_train_options o = { sizeof o, .recipe = MDAM_RECIPE_FAST };
    recipe_fill(&o, &problem_tsp, false);
    munit_assert_int(o.baseline, ==, MDAM_BASELINE_SHARED);
    munit_assert_uint32(o.batch, ==, 32);
    munit_assert_uint32(o.rollouts, ==, 8);
    munit_assert_double(o.imitate, ==, 1);
    munit_assert_string_equal(o.norm, "instance");
    munit_assert_uint32(o.glimpse_from, ==, 16);
    munit_assert_double(o.lr, >, o.lr_final);
    munit_assert_double(o.lr_final, >, 0);
    o = (struct mdam_train_options){ sizeof o, .recipe = MDAM_RECIPE_FAST, .epochs = 4 };
    recipe_fill(&o, &problem_op, false);
    munit_assert_string_equal(o.norm, "layer");
    munit_assert_double(o.imitate, ==, 0.2);
    munit_assert_int(o.glimpse, ==, -1);
    munit_assert_uint32(o.glimpse_from, ==, 0);
    o = (struct mdam_train_options){ sizeof o, .recipe = MDAM_RECIPE_FAST };
    recipe_fill(&o, &problem_op, true); // the model's
    munit_assert_null(o.norm);
    o = (struct mdam_train_options){ sizeof o, .recipe = MDAM_RECIPE_FAST };
    recipe_fill(&o, &problem_spctsp, false); // the teacher expects prizes that the decoder sees
    munit_assert_double(o.imitate, <, 0);
    o = (struct mdam_train_options){ sizeof o, .recipe = MDAM_RECIPE_FAST };
    recipe_fill(&o, &problem_cvrp, false);
    munit_assert_double(o.imitate, ==, 0.1);
    return MUNIT_OK;
}

// The caller's settings stay, and the paper's recipe changes nothing.
static MunitResult test_explicit(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const struct mdam_train_options given = { sizeof given, .recipe = MDAM_RECIPE_FAST, .batch = 5, .rollouts = 6,
        .epochs = 7, .epoch_size = 8, .val_size = 9, .lr = 1, .kl = -1, .imitate = -1, .norm = "batch", .glimpse = 3,
        .keep_baseline = true };
    struct mdam_train_options o = given;
    recipe_fill(&o, &problem_cvrp, false);
    munit_assert_memory_equal(sizeof o, &o, &given);
    o = (struct mdam_train_options){ sizeof o };
    struct mdam_train_options paper = o;
    recipe_fill(&o, &problem_cvrp, false);
    munit_assert_memory_equal(sizeof o, &o, &paper);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/fast", test_fast),
    TEST("/explicit", test_explicit),
    TEST_END,
};
SUITE("/train/recipe", tests)
