#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "suite.h"

static const char *const sections[] = { "device", "subgroups", "kernels", "determinism", "speed", "jobs", "pipelines" };
enum { SECTIONS = sizeof sections / sizeof *sections };

// Every section has lines; as many checks passed as are counted, and the exit code says so.
static void expect_json(struct output *output, bool whole)
{
    munit_assert_int(output->status, ==, 0);
    json_error_t error;
    json_t *root = json_loads(output->out, 0, &error), *lines = json_object_get(root, "lines"), *line;
    if (!root)
        munit_errorf("line %d: %s", error.line, error.text);
    size_t i, found[SECTIONS] = { 0 };
    json_int_t ok = 0;
    json_array_foreach(lines, i, line)
    {
        const char *section = json_string_value(json_object_get(line, "section"));
        for (int k = 0; k < SECTIONS; k++)
            found[k] += !strcmp(section, sections[k]);
        ok += !strcmp(json_string_value(json_object_get(line, "verdict")), "ok");
        munit_assert_true(*json_string_value(json_object_get(line, "text")) != 0);
    }
    for (int k = 0; k < SECTIONS; k++)
        munit_assert_size(found[k], >, 0);
    munit_assert_true(json_is_true(json_object_get(root, "passed")));
    munit_assert_true(ok > 20 && ok == json_integer_value(json_object_get(root, "ok")));
    munit_assert_true(ok == json_integer_value(json_object_get(root, "checks")));
    // A slow device leaves jobs out of a whole report.
    munit_assert_true(whole || json_real_value(json_object_get(root, "decision_us")) > 0);
    json_decref(root);
}

static MunitResult test_quick(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    program_run(&output, "selftest", "--json", "--quick", "--quiet", NULL);
    expect_json(&output, false);
    output_finish(&output);
    return MUNIT_OK;
}

// A device that fails meanwhile: the report ends with the reason, and the exit code is 1.
static MunitResult test_fails(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    setenv("MDAM_VK_INJECT", "submit:3", 1);
    program_run(&output, "selftest", "--quick", "--quiet", NULL);
    unsetenv("MDAM_VK_INJECT");
    munit_assert_int(output.status, ==, 1);
    munit_assert_not_null(strstr(output.out, "device lost"));
    munit_assert_not_null(strstr(output.out, "\nselftest: FAIL "));
    output_finish(&output);
    return MUNIT_OK;
}

static MunitResult test_whole(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    program_run(&output, "selftest", "--json", "--quiet", NULL);
    expect_json(&output, true);
    output_finish(&output);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/quick", test_quick, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/fails", test_fails, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/cli/selftest", tests)

static MunitTest long_tests[] = {
    { "/whole", test_whole, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE_LONG("/cli/selftest", long_tests)
