#include "model/initial.h"

#include <math.h>
#include <string.h>

#include "expect.h"
#include "shaders/args.h"
#include "suite.h"
#include "tests/model/support.h"

// Within the bound, close to it, and centred: a sum of n uniform numbers strays from 0 by more than six standard
// deviations, bound * sqrt(n / 3) each, once in 10^9.
static void expect_uniform(const float *values, size_t n, double bound)
{
    double sum = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        largest = fmax(largest, fabs((double)values[i]));
    }
    munit_assert_double(largest, <=, bound * (1 + 1e-6));            // rounding of the bound
    munit_assert_double(largest, >, bound * (1 - 12.0 / (double)n)); // missed once in e^12
    munit_assert_double(fabs(sum), <, 6 * bound * sqrt((double)n / 3));
}

static void expect_all(const float *values, size_t n, float value)
{
    for (size_t i = 0; i < n; i++)
        munit_assert_float(values[i], ==, value);
}

static MunitResult test_bounds(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct config config = { .problem = problem_by_name("spctsp"), .D = 128, .H = 8, .F = 512, .L = 2, .M = 2, .p = 2 };
    struct weights w;
    weights_draw(&w, &config, 7);
    const struct params *p = &w.params;
    const float *embed = weights_at(&w, p->embed), *step = weights_at(&w, p->step);
    expect_uniform(embed, 3 * 128, 1 / sqrt(2));
    expect_uniform(embed + 3 * 128, 5 * 128, 0.5);
    const struct layer_params *layer = &p->layers[1];
    expect_uniform(weights_at(&w, layer->qkv), 128 * 384, 0.25);
    expect_uniform(weights_at(&w, layer->out), 128 * 128, 1 / sqrt(128));
    expect_uniform(weights_at(&w, layer->ff1), 128 * 512, 1 / sqrt(128));
    expect_uniform(weights_at(&w, layer->ff1_bias), 512, 1 / sqrt(128));
    expect_uniform(weights_at(&w, layer->ff2), 128 * 512, 1 / sqrt(512));
    expect_uniform(weights_at(&w, layer->ff2_bias), 128, 1 / sqrt(512));
    expect_all(weights_at(&w, layer->norm2.gain), 128, 1);
    expect_all(weights_at(&w, layer->norm2.bias), 128, 0);
    expect_uniform(weights_at(&w, p->kvl), 2 * 128 * 384, 1 / sqrt(128));
    expect_uniform(weights_at(&w, p->out), 2 * 128 * 128, 1 / sqrt(128));
    expect_uniform(step, 129 * 128, 1 / sqrt(129));
    expect_all(step + 129 * 128, 7 * 128, 0);
    munit_assert_int(p->placeholder.rank, ==, 0);
    weights_finish(&w);
    return MUNIT_OK;
}

// Weights that a problem does not have are zero or absent.
static MunitResult test_problems(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (const struct problem *const *problem = problems; *problem; problem++) {
        struct config config = {
            .problem = *problem, .D = 128, .H = 8, .F = 512, .L = 1, .M = 1, .norm = MODEL_BATCH, .O = 3
        };
        struct weights w;
        weights_draw(&w, &config, 7);
        const float *embed = weights_at(&w, w.params.embed);
        int columns = (int)customer_inputs(*problem) - 2;
        expect_uniform(embed + 3 * 128, (size_t)(2 + columns) * 128, 1 / sqrt(2 + columns));
        expect_all(embed + (5 + columns) * 128, (size_t)(2 - columns) * 128, 0);
        if (!(*problem)->has_depot) {
            expect_all(embed, 3 * 128, 0);
            expect_uniform(weights_at(&w, w.params.placeholder), 256, 1);
            expect_uniform(weights_at(&w, w.params.step), 256 * 128, 1.0 / 16);
        }
        if ((*problem)->splits)
            expect_uniform(weights_at(&w, w.params.dynamic), 384, 1);
        for (uint32_t i = 0; i < 3 * 2; i++) {
            expect_all(weights_at(&w, w.stats.glimpse) + (size_t)256 * i, 128, 0);
            expect_all(weights_at(&w, w.stats.glimpse) + (size_t)256 * i + 128, 128, 1);
        }
        munit_assert_true(weights_check(&w));
        weights_finish(&w);
    }
    return MUNIT_OK;
}

// The same seed gives the same numbers, another one others; no two tensors and no two decoders are alike; a decoder's
// weights do not depend on how many there are.
static MunitResult test_streams(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct config few = tiny_config("cvrp", 2, 2), many = tiny_config("cvrp", 2, 5);
    struct weights a, b, c, d;
    weights_draw(&a, &few, 1234);
    weights_draw(&b, &few, 1234);
    weights_draw(&c, &few, 1235);
    weights_draw(&d, &many, 1234);
    munit_assert_memory_equal(a.count * 4, a.values, b.values);
    munit_assert_float(weights_at(&a, a.params.embed)[0], !=, weights_at(&c, c.params.embed)[0]);
    size_t decoder = 8 * 8;
    const float *fixed = weights_at(&a, a.params.fixed), *out = weights_at(&a, a.params.out);
    munit_assert_float(fixed[0], !=, fixed[decoder]);
    munit_assert_float(fixed[0], !=, out[0]);
    munit_assert_memory_equal(2 * decoder * 4, fixed, weights_at(&d, d.params.fixed));
    munit_assert_float(weights_at(&a, a.params.layers[0].qkv)[0], !=, weights_at(&a, a.params.layers[1].qkv)[0]);
    weights_finish(&a), weights_finish(&b), weights_finish(&c), weights_finish(&d);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/bounds", test_bounds),
    TEST("/problems", test_problems),
    TEST("/streams", test_streams),
    TEST_END,
};
SUITE("/model/initial", tests)
