// Training through the library: stopped by a callback, resumed, refused.
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "mdam/mdam.h"
#include "suite.h"
#include "util/alloc.h"

struct seen {
    uint64_t steps;
    uint32_t validations, comparisons;
    uint64_t stop_at;
};

static bool watch(void *user, const struct mdam_train_progress *progress)
{
    struct seen *seen = user;
    seen->steps += progress->event == MDAM_TRAIN_STEP;
    seen->validations += progress->event == MDAM_TRAIN_VALIDATED;
    return progress->event != MDAM_TRAIN_STEP || progress->step != seen->stop_at;
}

// Continues until the weights of step 2 are compared with the baseline.
static bool watch_comparison(void *user, const struct mdam_train_progress *progress)
{
    struct seen *seen = user;
    seen->validations += progress->event == MDAM_TRAIN_VALIDATED;
    return progress->event != MDAM_TRAIN_EVALUATES || progress->step != 2 || seen->validations < 2;
}

static bool count_comparisons(void *user, const struct mdam_train_progress *progress)
{
    struct seen *seen = user;
    seen->comparisons += progress->event == MDAM_TRAIN_EVALUATES && progress->step == 2;
    return true;
}

// An epoch's weights are validated before they are compared with the baseline, so that a training that is ended then
// has its model; the comparison is made when it continues.
static MunitResult test_compared(const MunitParameter params[], void *folder)
{
    (void)params;
    struct seen seen = { 0 };
    struct mdam_train_progress last;
    struct mdam_device *device = NULL;
    struct mdam_train_options options = { sizeof options, .problem = "tsp", .n_min = 5, .embedding = 16, .heads = 2,
        .hidden = 16, .layers = 1, .decoders = 2, .batch = 4, .epochs = 2, .epoch_size = 8, .val_size = 8,
        .progress = watch_comparison, .user = &seen };
    munit_assert_true(mdam_device_open(&device, NULL));
    char *training = xformat("%s/training", (const char *)folder);
    munit_assert_true(mdam_train(device, training, &options, &last));
    munit_assert_uint64(last.step, ==, 2);
    munit_assert_uint32(seen.validations, ==, 2);
    options.progress = count_comparisons;
    munit_assert_true(mdam_train_resume(device, training, &options, &last));
    munit_assert_uint64(last.step, ==, 4);
    munit_assert_uint32(seen.comparisons, >, 0);
    free(training);
    mdam_device_close(&device);
    return MUNIT_OK;
}

static MunitResult test_stopped(const MunitParameter params[], void *folder)
{
    (void)params;
    struct seen seen = { .stop_at = 3 };
    struct mdam_train_progress last;
    struct mdam_device *device = NULL;
    struct mdam_model *model = NULL;
    struct mdam_train_options options = { sizeof options, .problem = "op", .n_min = 5, .embedding = 16, .heads = 2,
        .hidden = 16, .layers = 1, .decoders = 2, .batch = 4, .epochs = 2, .epoch_size = 8, .val_size = 8,
        .progress = watch, .user = &seen };
    char *training = xformat("%s/training", (const char *)folder), *path = xformat("%s/model.safetensors", training);
    munit_assert_true(mdam_device_open(&device, NULL));
    munit_assert_true(mdam_train(device, training, &options, &last));
    munit_assert_uint64(last.step, ==, 3);
    munit_assert_uint64(last.instances, ==, 12);
    munit_assert_uint64(seen.steps, ==, 3);
    munit_assert_uint32(seen.validations, ==, 2);
    munit_assert_true(last.has_validation && last.best < 0);
    munit_assert_false(mdam_train(device, training, &options, NULL));
    munit_assert_true(mdam_train_resume(device, training, &options, &last));
    munit_assert_uint64(last.step, ==, 4);
    munit_assert_uint64(seen.steps, ==, 4);
    munit_assert_uint32(seen.validations, ==, 3);
    munit_assert_true(mdam_model_load(&model, device, path, NULL));
    const struct mdam_model_info *info = mdam_model_info(model);
    munit_assert_string_equal(info->problem, "op");
    munit_assert_true(info->has_validation && info->n_min == 5 && info->n_max == 5);
    munit_assert_double(info->validation, ==, -last.best); // the prize itself
    mdam_model_free(&model);
    options.problem = "knapsack";
    munit_assert_false(mdam_train(device, folder, &options, NULL));
    munit_assert_string_equal(mdam_error_field(), "problem");
    mdam_device_close(&device);
    free(path);
    free(training);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    FOLDER_TEST("/compared", test_compared, NULL),
    FOLDER_TEST("/stopped", test_stopped, NULL),
    TEST_END,
};
SUITE("/api/train", tests)
