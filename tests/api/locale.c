// A program whose locale writes a decimal comma: the library's files, texts and messages use a point, and its callbacks
// see the comma.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "mdam/mdam.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/file.h"

static const char numeric[] = "LC_NUMERIC\n"
                              "decimal_point \",\"\n"
                              "thousands_sep \".\"\n"
                              "grouping 3;3\n"
                              "END LC_NUMERIC\n";

static const char tsp[] = "NAME: fractions\n"
                          "TYPE: TSP\n"
                          "DIMENSION: 4\n"
                          "EDGE_WEIGHT_TYPE: EUC_2D\n"
                          "NODE_COORD_SECTION\n"
                          "1 0.5 0.25\n"
                          "2 10.75 0.5\n"
                          "3 10.5 8.125\n"
                          "4 1.5e-1 8.5\n";

#define must(expression)                                                                                               \
    do {                                                                                                               \
        if (!(expression))                                                                                             \
            munit_errorf("%s: %s", #expression, mdam_error());                                                         \
        munit_assert_string_equal(localeconv()->decimal_point, point);                                                 \
    } while (0)

static const char *point; // of the program

// False: there is no localedef, or no character sets for it.
static bool choose_comma(const char *folder)
{
    char *source = xformat("%s/comma.src", folder);
    char *command = xformat("localedef -c -i '%s' '%s/comma' >'%s/said' 2>&1", source, folder, folder);
    munit_assert_true(file_write(source, numeric, strlen(numeric)));
    int status = system(command); // 1: there are warnings, about categories that it does not have
    setenv("LOCPATH", folder, true);
    bool ok = status != -1 && setlocale(LC_ALL, "comma");
    unsetenv("LOCPATH");
    free(command), free(source);
    point = ok ? "," : ".";
    return ok;
}

static void expect_callers(int *calls)
{
    char text[8];
    snprintf(text, sizeof text, "%.1f", 0.5);
    munit_assert_int(text[1], ==, point[0]);
    ++*calls;
}

static bool watch_training(void *user, const struct mdam_train_progress *progress)
{
    (void)progress;
    expect_callers(user);
    return true;
}

static bool watch(void *user, size_t done, size_t count)
{
    (void)done, (void)count;
    expect_callers(user);
    return true;
}

static void hear(void *user, size_t instance, const char *warning)
{
    (void)instance, (void)warning;
    expect_callers(user);
}

// The solution of the file, in every format that has no times in it, and its number in the one that has.
static char *solve(struct mdam_device *device, const char *model_path, const char *path)
{
    struct mdam_model *model;
    struct mdam_instances *instances = NULL;
    struct mdam_solutions *solutions;
    int calls = 0;
    struct mdam_solve_options options = { sizeof options, .progress = watch, .warn = hear, .user = &calls };
    must(mdam_model_load(&model, device, model_path, NULL));
    must(mdam_instances_read(&instances, path, SIZE_MAX));
    must(mdam_solve(&solutions, instances, &model, 1, &options));
    munit_assert_int(calls, >=, 3);
    static const enum mdam_format formats[] = { MDAM_FORMAT_TOUR, MDAM_FORMAT_TEXT, MDAM_FORMAT_SVG };
    char *all = xstrdup("");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char *text = mdam_solution_text(solutions, 0, formats[i]), *more = xformat("%s%s", all, text);
        mdam_text_free(&text);
        free(all);
        all = more;
    }
    char *json = mdam_solution_text(solutions, 0, MDAM_FORMAT_JSON), *objective = strstr(json, "\"objective\":");
    char *end = strchr(objective, '.');
    munit_assert_true(end && (size_t)(end - objective) == strlen("\"objective\":37"));
    mdam_text_free(&json);
    options = (struct mdam_solve_options){ sizeof options, .decode = MDAM_DECODE_SAMPLE, .temperature = -0.5 };
    mdam_solutions_free(&solutions);
    expect_refused(mdam_solve(&solutions, instances, &model, 1, &options), "temperature: *");
    mdam_instances_free(&instances);
    mdam_model_free(&model);
    return all;
}

static MunitResult test_comma(const MunitParameter params[], void *folder)
{
    (void)params;
    if (!choose_comma(folder))
        return MUNIT_SKIP;
    int calls = 0;
    struct mdam_device *device;
    struct mdam_train_options options = { sizeof options, .problem = "tsp", .n_min = 5, .embedding = 16, .heads = 2,
        .hidden = 16, .layers = 1, .decoders = 2, .batch = 4, .epochs = 1, .epoch_size = 8, .val_size = 8,
        .progress = watch_training, .user = &calls };
    char *training = xformat("%s/training", (char *)folder), *model = xformat("%s/model.safetensors", training);
    char *path = xformat("%s/fractions.tsp", (char *)folder);
    munit_assert_true(file_write(path, tsp, strlen(tsp)));
    must(mdam_device_open(&device, NULL));
    must(mdam_train(device, training, &options, NULL));
    munit_assert_int(calls, >, 0);
    options.epochs = 2;
    must(mdam_train_resume(device, training, &options, NULL));
    char *comma = solve(device, model, path);
    munit_assert_not_null(setlocale(LC_ALL, "C"));
    point = ".";
    char *plain = solve(device, model, path);
    munit_assert_string_equal(comma, plain);
    mdam_device_close(&device);
    free(plain), free(comma), free(path), free(model), free(training);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    FOLDER_TEST("/comma", test_comma, NULL),
    TEST_END,
};
SUITE("/api/locale", tests)
