#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "mdam/mdam.h"
#include "suite.h"
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
        mdam_model_find(&path, "../sdvrp"), "must be one of tsp, cvrp, sdvrp, op, pctsp, spctsp, not \"../sdvrp\"");
    unsetenv("MDAM_VK_MODELS");
    free(expected), free(sentence);
    return MUNIT_OK;
}

static void expect_misuse(bool ok, const char *sentence)
{
    munit_assert_false(ok);
    munit_assert_int(mdam_error_fault(), ==, MDAM_FAULT_INTERNAL);
    expect_message(mdam_error(), sentence);
}

// Missing arguments are refused with a message.
static MunitResult test_misuse(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    int anything;
    struct mdam_device *device = (struct mdam_device *)(void *)&anything; // not looked at
    struct mdam_model *model, *none[2] = { NULL };
    struct mdam_instances *list = NULL;
    struct mdam_solutions *solutions;
    struct mdam_evaluation *evaluation;
    char *path;
    const double zero = 0;
    struct mdam_instance_data instance = { sizeof instance, .problem = "tsp", .n = 1, .x = &zero, .y = &zero };
    munit_assert_true(mdam_instances_add(&list, &instance));
    expect_misuse(mdam_model_find(&path, NULL), "the name of the problem is NULL");
    expect_misuse(mdam_model_load(&model, device, NULL, NULL), "the path of the model is NULL");
    expect_misuse(mdam_model_load(&model, NULL, "x", NULL), "the device of the model is NULL");
    expect_misuse(mdam_import(NULL, "x.pt", NULL, NULL, NULL), "the path of the model is NULL");
    expect_misuse(mdam_import("x", NULL, NULL, NULL, NULL), "the path of the checkpoint is NULL");
    expect_misuse(mdam_instances_read(&list, NULL, 1), "the path of the instances is NULL");
    expect_misuse(mdam_instances_parse(&list, NULL, 1), "the text of instances is NULL");
    expect_misuse(mdam_solve(&solutions, list, none, 2, NULL), "model 1 of 2 is NULL");
    expect_misuse(mdam_solve(&solutions, list, NULL, 1, NULL), "model 1 of 1 is NULL");
    munit_assert_null(solutions);
    expect_misuse(mdam_evaluate(&evaluation, NULL, list, NULL), "model 1 of 1 is NULL");
    expect_misuse(mdam_train(device, NULL, NULL, NULL), "a training has no folder");
    expect_misuse(mdam_train_resume(NULL, "x", NULL, NULL), "a training has no device");
    mdam_instances_free(&list);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/misuse", test_misuse),
    FOLDER_TEST("/find", test_find, NULL),
    TEST_END,
};
SUITE("/api/model", tests)
