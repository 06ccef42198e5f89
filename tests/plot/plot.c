#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "plot/colour.h"
#include "suite.h"
#include "tests/plot/drawn.h"

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    return count;
}

#define NODES "\"depot\": [0, 0], \"nodes\": [[3, 4], [0, 8], [6, 8], [6, 0]]"

static MunitResult test_parts(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct text svg = plot_drawn(
        "{\"problem\": \"cvrp\", \"name\": \"<a> & b\", \"demand\": [1, 2, 3, 4], \"capacity\": 6, " NODES "}",
        "{\"routes\": [[1, 3], [4, 2]]}");
    munit_assert_not_null(strstr(svg.data, "CVRP &lt;a> &amp; b</text>"));
    munit_assert_not_null(strstr(svg.data, "length 44 \u00b7 2 routes \u00b7 4 customers"));
    munit_assert_size(count_of(svg.data, "class=\"tour\""), ==, 2);
    munit_assert_size(count_of(svg.data, "class=\"node\""), ==, 4);
    munit_assert_size(count_of(svg.data, "class=\"label\""), ==, 4);
    munit_assert_size(count_of(svg.data, "class=\"depot\""), ==, 2); // and one in the legend
    munit_assert_not_null(strstr(svg.data, "demand 1 to 4"));
    munit_assert_null(strstr(svg.data, "not visited"));
    munit_assert_not_null(strstr(svg.data, "prefers-color-scheme:dark"));
    text_finish(&svg);

    svg = plot_drawn(
        "{\"problem\": \"op\", \"prize\": [1, 2, 3, 0.5], \"max_length\": 25, " NODES "}", "{\"routes\": [[1, 3]]}");
    munit_assert_size(count_of(svg.data, "class=\"pale\""), ==, 3); // two, and one in the legend
    munit_assert_not_null(strstr(svg.data, "2 not visited"));
    text_finish(&svg);

    // A customer that two routes share is a pie.
    svg = plot_drawn("{\"problem\": \"sdvrp\", \"demand\": [4, 1, 1, 4], \"capacity\": 6, " NODES "}",
        "{\"routes\": [[1, 2], [1, 3, 4]], \"deliveries\": [[3, 1], [1, 1, 4]]}");
    munit_assert_size(count_of(svg.data, "<path fill="), ==, 2);
    text_finish(&svg);

    svg = plot_drawn("{\"problem\": \"cvrp\", \"demand\": [1, 2, 3, 4], \"capacity\": 6, " NODES "}", NULL);
    munit_assert_size(count_of(svg.data, "class=\"node plain\""), ==, 4);
    munit_assert_size(count_of(svg.data, "class=\"tour\""), ==, 0);
    text_finish(&svg);

    svg = plot_drawn("{\"problem\": \"cvrp\", \"demand\": [1, 2, 3, 4], \"capacity\": 6, " NODES "}",
        "{\"routes\": [[9, 1], [0], [4294967295]]}");
    munit_assert_not_null(strstr(svg.data, "infeasible: route 1, stop 1: there is no customer 9"));
    text_finish(&svg);
    return MUNIT_OK;
}

// Everything is inside the picture, for any coordinates.
static MunitResult test_extremes(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char *const nodes[] = { "[[5, 5]]", "[[5, 5], [5, 5]]", "[[0, 3], [1, 3], [2, 3]]", "[[3, 0], [3, 1]]",
        "[[1e-30, 2e-30], [3e-30, 0]]", "[[1e100, -1e100], [-1e100, 1e100]]",
        "[[1e15, 1e15], [1000000000000001, 1e15]]", "[[0, 0], [5e-324, 0]]" };
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        struct text json = { 0 };
        text_add(&json, "{\"problem\": \"tsp\", \"name\": \"%0200d\", \"nodes\": %s}", 0, nodes[i]);
        struct text svg = plot_drawn(json.data, i == 0 ? "{\"routes\": [[1]]}" : "{\"routes\": [[1, 2]]}");
        double width, height, x, y;
        munit_assert_int(sscanf(strstr(svg.data, "viewBox=\"0 0 "), "viewBox=\"0 0 %lf %lf", &width, &height), ==, 2);
        munit_assert_double(width, >=, 400);
        munit_assert_double(height, >=, 100);
        munit_assert_double(fmax(width, height), <=, 1000);
        for (const char *at = svg.data; (at = strstr(at, "<circle cx=")); at++) {
            munit_assert_int(sscanf(at, "<circle cx=\"%lf\" cy=\"%lf\"", &x, &y), ==, 2);
            munit_assert_true(x > 0 && x < width && y > 0 && y < height);
        }
        text_finish(&svg), text_finish(&json);
    }
    return MUNIT_OK;
}

// The more nodes, the smaller their dots: eleven of twelve do not overlap.
static MunitResult test_sizes(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (size_t n = 25; n <= 1600; n *= 4) {
        struct text json = { 0 };
        text_add(&json, "{\"problem\": \"tsp\", \"nodes\": [[0, 0]");
        for (size_t i = 1; i < n; i++)
            text_add(&json, ", [%g, %g]", fmod((double)i * 0.618034, 1), fmod((double)(i * i) * 0.414214, 1));
        text_add(&json, "]}");
        struct text svg = plot_drawn(json.data, NULL);
        double(*dots)[3] = calloc(n, sizeof *dots);
        size_t count = 0, overlapping = 0;
        for (const char *at = svg.data; (at = strstr(at, "<circle cx=")); at++, count++) {
            double *dot = dots[count];
            munit_assert_int(sscanf(at, "<circle cx=\"%lf\" cy=\"%lf\" r=\"%lf", &dot[0], &dot[1], &dot[2]), ==, 3);
        }
        munit_assert_size(count, ==, n);
        for (size_t i = 0; i < n; i++) {
            double gap = INFINITY; // positions are rounded to a tenth
            for (size_t j = 0; j < n; j++)
                gap = i == j ? gap : fmin(gap, hypot(dots[i][0] - dots[j][0], dots[i][1] - dots[j][1]) + 0.2);
            overlapping += gap < 2 * dots[i][2];
        }
        munit_assert_size(overlapping, <=, n / 12);
        munit_assert_double(dots[0][2], >=, 1.3);
        free(dots);
        text_finish(&svg), text_finish(&json);
    }
    return MUNIT_OK;
}

// Neighbouring routes differ clearly, and none is lost on white or on black.
static MunitResult test_colours(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    unsigned before[3] = { 0 };
    for (uint32_t rank = 0; rank < 200; rank++) {
        char colour[8];
        plot_colour(rank, 200, colour);
        unsigned rgb[3], difference = 0;
        munit_assert_int(sscanf(colour, "#%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]), ==, 3);
        for (int i = 0; i < 3; i++) {
            difference += rgb[i] > before[i] ? rgb[i] - before[i] : before[i] - rgb[i];
            before[i] = rgb[i];
        }
        munit_assert_uint(difference, >, 100); // of 765
        unsigned light = (rgb[0] * 30 + rgb[1] * 59 + rgb[2] * 11) / 100;
        munit_assert_true(light > 60 && light < 190);
    }
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/parts", test_parts, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/extremes", test_extremes, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/sizes", test_sizes, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/colours", test_colours, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/plot/plot", tests)
