#include "cli/outputs.h"

#include <stdlib.h>
#include <unistd.h>

#include "expect.h"
#include "suite.h"
#include "util/file.h"

static MunitResult test_inputs(const MunitParameter params[], void *folder)
{
    (void)params;
    munit_assert_int(chdir(folder), ==, 0);
    munit_assert_true(file_write("x", "x", 1));
    munit_assert_int(symlink("x", "link"), ==, 0);
    struct outputs outputs;
    outputs_begin(&outputs, "work");
    outputs_protect(&outputs, "link", "instances");
    outputs_protect(&outputs, "x", "instances"); // a file may be read twice
    outputs_protect(&outputs, NULL, "the model");
    munit_assert_true(outputs_add(&outputs, "y", "-o"));
    expect_refused(outputs_add(&outputs, "./x", "--to"), "work: --to: ./x has instances and would be overwritten");
    outputs_finish(&outputs);
    return MUNIT_OK;
}

static MunitResult test_each_other(const MunitParameter params[], void *folder)
{
    (void)params;
    munit_assert_int(chdir(folder), ==, 0);
    munit_assert_int(symlink("x2.svg", "link"), ==, 0);
    struct outputs outputs;
    outputs_begin(&outputs, "work");
    munit_assert_true(outputs_add(&outputs, "link", "-o"));
    munit_assert_true(outputs_add(&outputs, NULL, "--plot"));
    munit_assert_true(outputs_add(&outputs, "", "--profile"));
    munit_assert_true(outputs_add(&outputs, "/dev/null", "-o"));
    munit_assert_true(outputs_add(&outputs, "/dev/null", "--plot"));
    munit_assert_true(outputs_add_plots(&outputs, NULL, 3, "--plot"));
    munit_assert_true(outputs_add_plots(&outputs, "x.svg", 1, "--plot"));
    expect_refused(outputs_add_plots(&outputs, "x.svg", 3, "--plot"), "work: --plot: x2.svg is also the output of -o");
    outputs_finish(&outputs);
    return MUNIT_OK;
}

static MunitResult test_paths(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *path;
        size_t index, count;
        const char *expected;
    } cases[] = {
        { "a.svg", 0, 1, "a.svg" },
        { "a.svg", 0, 2, "a1.svg" },
        { "b/a.svg", 11, 12, "b/a12.svg" },
        { "a", 1, 2, "a2" },
        { ".svg", 1, 2, "2.svg" },
        { "a.SVG", 1, 2, "a2.SVG" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *path = picture_path(cases[i].path, cases[i].index, cases[i].count);
        munit_assert_string_equal(path, cases[i].expected);
        free(path);
    }
    return MUNIT_OK;
}

static MunitResult test_endings(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char *const fit[] = { "a.svg", "a.SVG", "a", "b.d/a", "-", "/dev/stdout", ".svg" };
    static const char *const unfit[] = { "a.png", "a.jsonl", "b.svg/a.json", "a.svg.gz", "a." };
    for (size_t i = 0; i < sizeof fit / sizeof *fit; i++)
        munit_assert_true(picture_name_fits(fit[i]));
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++)
        expect_refused(picture_name_fits(unfit[i]), "*");
    return MUNIT_OK;
}

static MunitTest tests[] = {
    FOLDER_TEST("/inputs", test_inputs, NULL),
    FOLDER_TEST("/each-other", test_each_other, NULL),
    { "/endings", test_endings, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/pictures", test_paths, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    TEST_END,
};
SUITE("/cli/outputs", tests)
