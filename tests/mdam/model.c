#include <stdlib.h>
#include <string.h>

#include "tests/mdam/suites.h"
#include "util/alloc.h"
#include "util/file.h"

static MunitResult test_find(const MunitParameter params[], void *folder)
{
    (void)params;
    char *expected = xformat("%s/sdvrp.safetensors", (char *)folder), *path;
    char *sentence = xformat("MDAM_VK_MODELS: %s has no model for sdvrp", (char *)folder);
    setenv("MDAM_VK_MODELS", folder, true);
    expect_refused(mdam_model_find(&path, "sdvrp"), sentence);
    munit_assert_null(path);
    munit_assert_true(file_write(expected, "", 0));
    munit_assert_true(mdam_model_find(&path, "sdvrp"));
    munit_assert_string_equal(path, expected);
    mdam_text_free(&path);
    munit_assert_null(path);
    expect_refused(
        mdam_model_find(&path, "../sdvrp"), "\"../sdvrp\" is not one of tsp, cvrp, sdvrp, op, pctsp, spctsp");
    unsetenv("MDAM_VK_MODELS");
    free(expected), free(sentence);
    return MUNIT_OK;
}

MunitTest mdam_model_tests[] = {
    { "/find", test_find, folder_make, folder_remove, MUNIT_TEST_OPTION_NONE, NULL },
    TEST_END,
};
