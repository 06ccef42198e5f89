#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "suite.h"

static double number(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        munit_errorf("%s is not a number", key);
    return json_number_value(value);
}

static json_t *parse(const char *text)
{
    json_t *root = json_loads(text, 0, NULL);
    if (!root)
        munit_errorf("not JSON: %s", text);
    return root;
}

static MunitResult test_json(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    program_run(&output, "bench", "copy", "--json", "--quiet", NULL);
    munit_assert_int(output.status, ==, 0);
    munit_assert_string_equal(output.err, "");
    json_t *root = parse(output.out), *results = json_object_get(root, "results");
    munit_assert_true(json_is_string(json_object_get(root, "device")));
    munit_assert_double(number(root, "lanes"), >=, 4);
    munit_assert_size(json_array_size(results), ==, 1);
    json_t *copy = json_array_get(results, 0);
    munit_assert_int(strncmp(json_string_value(json_object_get(copy, "name")), "copy ", 5), ==, 0);
    munit_assert_double(number(copy, "seconds"), >, 0);
    munit_assert_double(number(copy, "copy_share"), ==, 1);
    munit_assert_true(json_is_null(json_object_get(copy, "share"))); // a copy multiplies nothing
    if (!json_is_null(json_object_get(root, "yardstick_gflops"))) {  // null where OpenBLAS is not installed
        double cost = number(root, "yardstick_gflops") * number(copy, "seconds");
        munit_assert_double(fabs(number(copy, "cost") / cost - 1), <, 1e-6); // nine digits are printed
    }
    json_decref(root);
    output_finish(&output);
    return MUNIT_OK;
}

// A brief run has no yardstick; it excludes a quick one.
static MunitResult test_brief(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output;
    program_run(&output, "bench", "copy", "--brief", "--json", "--quiet", NULL);
    munit_assert_int(output.status, ==, 0);
    json_t *root = parse(output.out), *results = json_object_get(root, "results");
    munit_assert_size(json_array_size(results), ==, 1);
    munit_assert_double(number(json_array_get(results, 0), "seconds"), >, 0);
    munit_assert_true(json_is_null(json_object_get(root, "yardstick_gflops")));
    json_decref(root);
    output_finish(&output);
    program_run(&output, "bench", "copy", "--brief", "--quick", NULL);
    munit_assert_int(output.status, ==, 2);
    munit_assert_not_null(strstr(output.err, "--brief"));
    output_finish(&output);
    return MUNIT_OK;
}

// Every benchmark that there is runs, each name once. The list comes from a refusal.
static MunitResult test_every(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct output output, refusal;
    program_run(&output, "bench", "--quick", "--json", "--quiet", NULL);
    munit_assert_int(output.status, ==, 0);
    program_run(&refusal, "bench", "nothing", NULL);
    json_t *root = parse(output.out), *results = json_object_get(root, "results"), *result;
    size_t i, words = 0;
    char *rest = strstr(refusal.err, "the names are "), *last = NULL;
    munit_assert_not_null(rest);
    for (char *name = strtok_r(rest + strlen("the names are "), ",\n", &last); name;
         name = strtok_r(NULL, ",\n", &last)) {
        name += strspn(name, " ");
        size_t length = strcspn(name, " ") + 1, found = 0;
        json_array_foreach(results, i, result)
        {
            const char *run = json_string_value(json_object_get(result, "name"));
            munit_assert_double(number(result, "seconds"), >, 0);
            found += !strncmp(run, name, length);
        }
        if (found != 1)
            munit_errorf("%s: %zu runs", name, found);
        words++;
    }
    munit_assert_size(words, >, json_array_size(results)); // most names have several sizes
    json_decref(root);
    output_finish(&output);
    output_finish(&refusal);
    return MUNIT_OK;
}

// The result goes to stdout, progress to stderr; --safe takes the bounds-checked kernels; a profile names the label.
static MunitResult test_streams(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    char trace[] = "trace-XXXXXX";
    int file = mkstemp(trace);
    munit_assert_int(file, >=, 0);
    close(file);
    struct output output;
    for (int again = 0; again < 2; again++) { // a trace replaces an older one
        program_run(&output, "bench", "norm2", "--safe", "--progress", "plain", "--profile", trace, NULL);
        if (!again)
            output_finish(&output);
    }
    json_t *root = json_load_file(trace, 0, NULL);
    unlink(trace);
    munit_assert_int(output.status, ==, 0);
    munit_assert_not_null(strstr(output.out, "lanes, safe"));
    munit_assert_not_null(strstr(output.out, "norm2 "));
    munit_assert_null(strstr(output.out, "copy "));
    munit_assert_not_null(strstr(output.err, "norm2 "));
    munit_assert_not_null(root);
    munit_assert_size(json_array_size(json_object_get(root, "traceEvents")), >, 0);
    json_decref(root);
    output_finish(&output);
    return MUNIT_OK;
}

static void expect_refusal(int status, const char *words, const char *name, const char *device)
{
    struct output output;
    program_run(&output, "bench", name, "--device", device, NULL);
    munit_assert_int(output.status, ==, status);
    munit_assert_string_equal(output.out, "");
    munit_assert_not_null(strstr(output.err, words));
    output_finish(&output);
}

static MunitResult test_refusals(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_refusal(2, "no benchmark begins with \"nothing\"", "nothing", "auto");
    expect_refusal(2, "growth-beam 500 tsp50", "nothing", "auto"); // the list has those that must be asked for, too
    expect_refusal(3, "no Vulkan device matches \"nothing\"", "copy", "nothing");
    return MUNIT_OK;
}

static MunitResult test_interrupted(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct program program;
    struct output output;
    char printed[16];
    program_start(&program, "bench", "growth", "--progress", "plain", NULL);
    while (pread(program.err, printed, sizeof printed, 0) <= 0)
        usleep(1000);
    kill(program.child, SIGINT);
    program_wait(&program, &output);
    munit_assert_int(output.status, ==, 130);
    munit_assert_string_equal(output.out, "");
    output_finish(&output);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/brief", test_brief, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/every", test_every, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/interrupted", test_interrupted, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/json", test_json, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/streams", test_streams, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/refusals", test_refusals, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/cli/bench", tests)
