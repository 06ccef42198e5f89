#include "problem/scale.h"

#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "tests/problem/support.h"
#include "util/alloc.h"

static void expect_coords(const char *json, const float *coords)
{
    struct instance instance = instance_of(json);
    struct scaled scaled;
    scaled_init(&scaled, &instance);
    munit_assert_uint32(scaled.N, ==, instance.n + instance.problem->has_depot);
    for (uint32_t k = 0; k < 2 * scaled.N; k++)
        munit_assert_float(scaled.coords[k], ==, coords[k]);
    scaled_finish(&scaled);
    instance_finish(&instance);
}

#define TSP(nodes) "{\"problem\":\"tsp\",\"nodes\":[" nodes "]}"

static MunitResult test_coords(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_coords(TSP("[0.25,0],[0.75,0.125]"), (const float[]){ 0.25f, 0, 0.75f, 0.125f }); // as they are
    expect_coords(TSP("[0.25,0],[0.5,0.125]"), (const float[]){ 0, 0, 1, 0.5f });            // too small a corner
    expect_coords(TSP("[10,20],[14,22],[12,20]"), (const float[]){ 0, 0, 1, 0.5f, 0.5f, 0 });
    expect_coords(TSP("[-1,0],[1,0]"), (const float[]){ 0, 0, 1, 0 });
    expect_coords(TSP("[1e30,0],[0,1e30]"), (const float[]){ 1, 0, 0, 1 });
    expect_coords(TSP("[1e-30,0],[0,1e-30]"), (const float[]){ 1, 0, 0, 1 });
    expect_coords(TSP("[1e100,-1e100],[-1e100,1e100]"), (const float[]){ 1, 0, 0, 1 });
    expect_coords(TSP("[5e-324,0],[0,5e-324]"), (const float[]){ 1, 0, 0, 1 });
    expect_coords(TSP("[7,7],[7,7]"), (const float[]){ 0, 0, 0, 0 });
    expect_coords(TSP("[7,7]"), (const float[]){ 0, 0 });
    expect_coords("{\"problem\":\"op\",\"depot\":[2,0],\"nodes\":[[0,4]],\"prize\":[1],\"max_length\":1}",
        (const float[]){ 0.5f, 0, 0, 1 });
    return MUNIT_OK;
}

static MunitResult test_columns(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct scaled scaled;
    struct instance instance = instance_of("{\"problem\":\"sdvrp\",\"depot\":[0,0],\"nodes\":[[4,0],[0,4]],"
                                           "\"demand\":[2.5,12],\"capacity\":10}");
    scaled_init(&scaled, &instance); // 25, 120 and 100 tenths, in fives
    munit_assert_int64(scaled.load_unit, ==, 5);
    munit_assert_uint32(scaled.capacity, ==, 20);
    munit_assert_memory_equal(3 * sizeof(uint32_t), scaled.demand, ((uint32_t[]){ 0, 5, 24 }));
    munit_assert_memory_equal(3 * sizeof(float), scaled.share, ((float[]){ 0, 0.25f, 1.2f }));
    munit_assert_null(scaled.prize);
    scaled_finish(&scaled);
    instance_finish(&instance);

    instance = instance_of("{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[4,0],[0,8]],\"prize\":[5,20],"
                           "\"max_length\":16}");
    scaled_init(&scaled, &instance);
    munit_assert_memory_equal(3 * sizeof(float), scaled.prize, ((float[]){ 0, 0.25f, 1 }));
    munit_assert_float(scaled.max_length, ==, 2);
    munit_assert_double(scaled.prize_unit, ==, 20);
    munit_assert_double(scaled.length_unit, ==, 8);
    scaled_finish(&scaled);
    instance_finish(&instance);

    instance = instance_of("{\"problem\":\"spctsp\",\"depot\":[0,0],\"nodes\":[[4,0],[0,8]],\"prize\":[5,20],"
                           "\"real_prize\":[0,40],\"penalty\":[16,2],\"min_prize\":10}");
    scaled_init(&scaled, &instance);
    munit_assert_memory_equal(3 * sizeof(float), scaled.prize, ((float[]){ 0, 0.5f, 2 }));
    munit_assert_memory_equal(3 * sizeof(float), scaled.real_prize, ((float[]){ 0, 0, 4 }));
    munit_assert_memory_equal(3 * sizeof(float), scaled.penalty, ((float[]){ 0, 2, 0.25f }));
    munit_assert_float(scaled.min_prize, ==, 1);
    munit_assert_double(scaled.prize_unit, ==, 10);
    munit_assert_double(scaled.length_unit, ==, 8);
    scaled_finish(&scaled);
    instance_finish(&instance);
    return MUNIT_OK;
}

// Values that would overflow in the network become large but harmless, and limits beyond any tour stay beyond.
static MunitResult test_bounds(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct scaled scaled;
    struct instance instance = instance_of("{\"problem\":\"pctsp\",\"depot\":[0,0],\"nodes\":[[1e-50,0]],"
                                           "\"prize\":[1e100],\"penalty\":[1e100],\"min_prize\":1e-100}");
    scaled_init(&scaled, &instance);
    munit_assert_float(scaled.prize[1], ==, 1e9f);
    munit_assert_float(scaled.penalty[1], ==, 1e9f);
    scaled_finish(&scaled);
    instance_finish(&instance);
    instance = instance_of("{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[1e-99,1e-99]],\"prize\":[0],"
                           "\"max_length\":1e100}");
    scaled_init(&scaled, &instance);
    munit_assert_float(scaled.max_length, >=, 2.8285f);
    munit_assert_float(scaled.max_length, <, 100);
    munit_assert_float(scaled.prize[1], ==, 0);
    scaled_finish(&scaled);
    instance_finish(&instance);
    return MUNIT_OK;
}

// A tour's length on the scaled coordinates is the judge's, back in the user's units.
static MunitResult test_lengths(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int exponent = -30; exponent <= 30; exponent += 10) {
        struct instance instance;
        instance_init(&instance, &problem_tsp, 50);
        struct solution solution = { 0 };
        struct route route = { 0 };
        for (uint32_t i = 0; i < 50; i++) {
            double size = pow(10, exponent);
            instance.nodes[i] = (struct point){ size * (munit_rand_double() - 3), size * munit_rand_double() };
            arrput(route.stops, i + 1);
        }
        arrput(solution.routes, route);
        struct verdict verdict;
        problem_tsp.judge(&instance, &solution, &verdict);
        struct scaled scaled;
        scaled_init(&scaled, &instance);
        double length = 0;
        for (uint32_t i = 0; i < 50; i++) {
            const float *a = &scaled.coords[2 * i], *b = &scaled.coords[2 * ((i + 1) % 50)];
            length += hypot(a[0] - b[0], a[1] - b[1]);
        }
        // Each leg, about 0.5 long, carries four coordinates rounded to 2^-25 at most.
        double error = fabs(length * scaled.length_unit / verdict.objective - 1);
        munit_assert_double(error, <, 1e-6);
        scaled_finish(&scaled);
        solution_finish(&solution);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

// Customers fill the square at any distance of the depot; its legs keep their lengths, and a near depot changes
// nothing.
static MunitResult test_far_depot(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *depot;
        float seen[2], limit;
    } cases[] = {
        { "[-30,10]", { 0, 1 }, 10 },
        { "[4,-100]", { 0.4f, 0 }, 10 },
        { "[-4e9,0]", { 0, 0 }, 0 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *text = xformat("{\"problem\":\"op\",\"depot\":%s,\"nodes\":[[10,10],[10,0],[0,0],[0,10]],"
                             "\"prize\":[1,1,1,1],\"max_length\":100}",
            cases[k].depot);
        struct instance instance = instance_of(text);
        struct scaled scaled;
        scaled_init(&scaled, &instance);
        munit_assert_not_null(scaled.home);
        for (int i = 0; i < 2; i++)
            munit_assert_float(scaled.coords[i], ==, cases[k].seen[i]);
        munit_assert_memory_equal(8 * sizeof(float), scaled.coords + 2, ((float[]){ 1, 1, 1, 0, 0, 0, 0, 1 }));
        munit_assert_double(scaled.length_unit, ==, 10);
        munit_assert_float(scaled.max_length, ==, cases[k].limit);
        if (k == 0) {
            munit_assert_float(scaled.home[1], ==, 4);
            munit_assert_float(scaled.home[2], ==, sqrtf(17));
            munit_assert_float(scaled.home[3], ==, sqrtf(10));
            munit_assert_float(scaled.home[4], ==, 3);
        }
        for (uint32_t i = 1; i < scaled.N; i++) {
            double seen = hypotf(scaled.coords[2 * i] - scaled.coords[0], scaled.coords[2 * i + 1] - scaled.coords[1]);
            munit_assert_true(scaled.home[i] > seen && scaled.home[i] < 1e4f + 2);
            munit_assert_true(fabs(scaled.home[i] - seen - scaled.home[0]) < 1.5); // seen as much nearer everywhere
        }
        scaled_finish(&scaled);
        instance_finish(&instance);
        free(text);
    }
    static const char *const near[] = { "[-9,5]", "[20,20]", "[5,5]", "[-9e99,0]" };
    for (size_t k = 0; k < sizeof near / sizeof *near; k++) {
        char *text = xformat("{\"problem\":\"op\",\"depot\":%s,\"nodes\":[[10,10],[10,0],[0,0],[0,10]],"
                             "\"prize\":[1,1,1,1],\"max_length\":100}",
            near[k]);
        struct instance instance = instance_of(text);
        struct scaled scaled;
        scaled_init(&scaled, &instance);
        munit_assert_null(scaled.home);
        scaled_finish(&scaled);
        instance_finish(&instance);
        free(text);
    }
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/coords", test_coords),
    TEST("/columns", test_columns),
    TEST("/far-depot", test_far_depot),
    TEST("/bounds", test_bounds),
    TEST("/lengths", test_lengths),
    TEST_END,
};
SUITE("/problem/scale", tests)
