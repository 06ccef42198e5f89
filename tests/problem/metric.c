#include "problem/metric.h"

#include "problem/embed.h"

#include <math.h>

#include "expect.h"
#include "suite.h"

static void expect(enum metric metric, double ax, double ay, double bx, double by, double expected)
{
    struct point a = { ax, ay }, b = { bx, by };
    munit_assert_double(metric_distance(metric, a, b), ==, expected);
    munit_assert_double(metric_distance(metric, b, a), ==, expected);
}

static MunitResult test_flat(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect(METRIC_EUCLID, 0, 0, 1, 1, sqrt(2));
    expect(METRIC_EUC_2D, 0, 0, 1, 1, 1);
    expect(METRIC_EUC_2D, 0, 0, 1.5, 0, 2); // halves go up
    expect(METRIC_CEIL_2D, 0, 0, 1, 1, 2);
    for (int i = 1; i < 2000; i++) { // a whole distance is not rounded up
        expect(METRIC_CEIL_2D, 0, 0, 3 * i, 4 * i, 5 * i);
        expect(METRIC_CEIL_2D, 7, 9, 7 + 20 * i, 9 + 21 * i, 29 * i);
    }
    expect(METRIC_ATT, 6734, 1453, 2233, 10, 1495); // att48's first two: 1494.7
    expect(METRIC_ATT, 0, 0, 10, 0, 4);             // 3.16 rounds to 3, which is less
    return MUNIT_OK;
}

// The published distances of ulysses16.
static MunitResult test_geo(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect(METRIC_GEO, 38.24, 20.42, 39.57, 26.15, 509);
    expect(METRIC_GEO, 38.24, 20.42, 40.56, 25.32, 501);
    expect(METRIC_GEO, 38.24, 20.42, 36.26, 23.12, 312);
    expect(METRIC_GEO, 38.24, 20.42, 36.08, -5.21, 2314);
    expect(METRIC_GEO, 10, 10, 10, 10, 1);
    munit_assert_true(isfinite(metric_distance(METRIC_GEO, (struct point){ 1e90, -1e90 }, (struct point){ 0, 0 })));
    return MUNIT_OK;
}

static MunitResult test_names(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    munit_assert_string_equal(metric_name(METRIC_EUC_2D), "EUC_2D");
    munit_assert_string_equal(metric_name(METRIC_GEO), "GEO");
    return MUNIT_OK;
}

static MunitResult test_great_circle(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const double quarter = 6371.0088 * 3.14159265358979323846 / 2;
    struct point pole = { 70, 90 }, greenwich = { 0, 0 }, east = { 90, 0 }, paris = { 2.3522, 48.8566 },
                 london = { -0.1276, 51.5072 };
    munit_assert_true(fabs(great_circle(greenwich, pole) - quarter) < 1e-9);
    munit_assert_true(fabs(great_circle(greenwich, east) - quarter) < 1e-9);
    munit_assert_true(fabs(great_circle((struct point){ -90, 0 }, east) - 2 * quarter) < 1e-9);
    munit_assert_true(
        fabs(great_circle((struct point){ 179.5, 0 }, (struct point){ -179.5, 0 }) - quarter / 90) < 1e-9);
    munit_assert_true(fabs(great_circle(paris, london) - 343.5) < 0.5);
    munit_assert_double(great_circle(paris, paris), ==, 0);
    return MUNIT_OK;
}

// The distances of points on a plane come back, also in numbers that a plane has many of.
static MunitResult test_embedding(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (uint32_t N = 1; N <= 40; N += N < 4 ? 1 : 12) {
        struct point points[40], found[40];
        double distances[40 * 40], error = 0;
        for (uint32_t i = 0; i < N; i++) {
            double angle = i * 2 * 3.14159265358979323846 / N;
            points[i] = N % 2 ? (struct point){ cos(angle), sin(angle) }
                              : (struct point){ munit_rand_double(), 0.1 * munit_rand_double() };
        }
        for (uint32_t i = 0; i < N * N; i++)
            distances[i] = metric_distance(METRIC_EUCLID, points[i / N], points[i % N]);
        embed_distances(found, distances, N);
        for (uint32_t i = 0; i < N * N; i++)
            error = fmax(error, fabs(metric_distance(METRIC_EUCLID, found[i / N], found[i % N]) - distances[i]));
        munit_assert_true(error < 1e-6);
    }
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/great-circle", test_great_circle, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/embedding", test_embedding, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/flat", test_flat, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/geo", test_geo, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/names", test_names, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/problem/metric", tests)
