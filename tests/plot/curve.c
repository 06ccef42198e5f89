#include "plot/curve.h"

#include <stdio.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}

static bool has_words(const struct curve *log, const char *words)
{
    struct text svg = { 0 };
    curve_write(&svg, log);
    bool has = strstr(svg.data, words);
    text_finish(&svg);
    return has;
}

static void expect_picture(const struct curve *log, const char *words)
{
    struct text svg = { 0 };
    curve_write(&svg, log);
    if (strncmp(svg.data, "<svg ", 5) || !strstr(svg.data, "</svg>\n") || !strstr(svg.data, words))
        munit_errorf("no picture with \"%s\": %s", words, svg.data);
    munit_assert_true(!strstr(svg.data, "nan") && !strstr(svg.data, "inf"));
    munit_assert_size(svg.size, <, 60000); // however long the training
    munit_assert_size(count_of(svg.data, "<g"), ==, count_of(svg.data, "</g>"));
    munit_assert_size(count_of(svg.data, "<text"), ==, count_of(svg.data, "</text>"));
    text_finish(&svg);
}

static MunitResult test_written(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct curve log = { .problem = problem_by_name("cvrp"), .n_min = 5, .n_max = 9 };
    expect_picture(&log, "Training cvrp, 5 to 9 customers");
    expect_picture(&log, "no training in the log yet");
    munit_assert_false(has_words(&log, "<path class=\"pale\"")); // nor is there a grid
    arrput(log.validations, ((struct curve_point){ 0, -3.5 }));
    expect_picture(&log, "no training in the log yet \u00b7 cost in validation -3.5 at first, -3.5 at best");
    munit_assert_true(has_words(&log, "<path class=\"pale\"")); // a single value has no range, but a grid
    for (int i = 1; i <= 100000; i++)
        arrput(log.costs, ((struct curve_point){ 512.0 * i, -4.0 - 1.0 / i }));
    for (int i = 1; i <= 100; i++)
        arrput(log.validations, ((struct curve_point){ 512000.0 * i, -4.0 - 0.001 * i }));
    expect_picture(&log, "51.2 M instances \u00b7 cost in validation -3.5 at first, -4.1 at best");
    log.validations[1].cost = 20;
    expect_picture(&log, "\u2191 up to 20"); // one height that would leave no room for the others
    arrfree(log.costs);
    arrfree(log.validations);
    return MUNIT_OK;
}

// Thirty points of a training that falls steadily: all are within the picture.
static MunitResult test_whole(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct curve log = { .problem = problem_by_name("cvrp"), .n_min = 5, .n_max = 9 };
    for (int i = 1; i <= 30; i++)
        arrput(log.costs, ((struct curve_point){ 512.0 * i, 9 - 0.1 * i }));
    munit_assert_false(has_words(&log, "up to"));
    struct text svg = { 0 };
    curve_write(&svg, &log);
    double x, y;
    const char *line = strstr(svg.data, "class=\"tour\"");
    munit_assert_int(sscanf(strstr(line, "d=\"M"), "d=\"M%lf %lf", &x, &y), ==, 2);
    munit_assert_double(y, >, 78); // below the header
    text_finish(&svg);
    arrfree(log.costs);
    return MUNIT_OK;
}

// Small and large instances alternate: only their mean cost is informative.
static MunitResult test_sizes(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct curve log = { .problem = problem_by_name("cvrp"), .n_min = 5, .n_max = 9 };
    for (int i = 1; i <= 960; i++)
        arrput(log.costs, ((struct curve_point){ 32.0 * i, i % 2 ? 3 : 6 }));
    arrput(log.validations, ((struct curve_point){ 0, 4.6 }));
    munit_assert_false(has_words(&log, ">6</text>"));
    munit_assert_true(has_words(&log, ">4.6</text>"));
    arrfree(log.costs);
    arrfree(log.validations);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/written", test_written),
    TEST("/whole", test_whole),
    TEST("/sizes", test_sizes),
    TEST_END,
};
SUITE("/plot/curve", tests)
