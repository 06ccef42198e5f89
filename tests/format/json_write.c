#include <math.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "format/json.h"
#include "problem/generate.h"
#include "suite.h"
#include "tests/problem/support.h"

// Written, read and written again, every instance is the same text; numbers are the same to the last bit.
static MunitResult test_round_trip(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct distribution distribution = { 1, 30, 0, 0, PRIZE_DIST };
    for (const struct problem *const *problem = problems; *problem; problem++) {
        for (uint32_t index = 0; index < 50; index++) {
            struct instance a;
            (*problem)->generate(&a, &distribution, 3, index);
            a.nodes[0].x = munit_rand_double() * pow(10, munit_rand_int_range(-90, 90));
            a.nodes[0].y = -0.0;
            struct text first = { 0 }, second = { 0 };
            instance_to_json(&first, &a);
            struct instance b = instance_of(first.data);
            instance_to_json(&second, &b);
            munit_assert_string_equal(first.data, second.data);
            munit_assert_memory_equal(a.n * sizeof *a.nodes, a.nodes, b.nodes);
            if (a.real_prize)
                munit_assert_memory_equal(a.n * sizeof *a.real_prize, a.real_prize, b.real_prize);
            text_finish(&first);
            text_finish(&second);
            instance_finish(&a);
            instance_finish(&b);
        }
    }
    return MUNIT_OK;
}

static MunitResult test_instance(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char *const lines[] = {
        "{\"problem\":\"cvrp\",\"name\":\"d\\\"n\",\"depot\":[0.5,0.5],\"nodes\":[[0.1,0.2],[-9e+20,4]],"
        "\"demand\":[3.5,5],\"capacity\":30,\"ids\":[\"a\",7],\"depot_id\":\"\\u00e4\"}\n",
        "{\"problem\":\"spctsp\",\"depot\":[0,0],\"nodes\":[[1,2]],\"prize\":[0.1],\"real_prize\":[0.2],"
        "\"penalty\":[0.3],\"min_prize\":0.4}\n",
        "{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[1,2]],\"prize\":[0.1],\"max_length\":7}\n",
    };
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        struct instance instance = instance_of(lines[k]);
        struct text text = { 0 };
        instance_to_json(&text, &instance);
        char *escape = strstr(text.data, "\xc3\xa4"); // UTF-8 is written as it is
        munit_assert_int(escape != NULL, ==, k == 0);
        if (!escape)
            munit_assert_string_equal(text.data, lines[k]);
        text_finish(&text);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

static void expect_solution(
    const char *instance_json, const char *solution_json, const struct solution_origin *origin, const char *expected)
{
    struct instance instance = instance_of(instance_json);
    struct solution solution = solution_of(&instance, solution_json);
    struct verdict verdict;
    instance.problem->judge(&instance, &solution, &verdict);
    struct text text = { 0 };
    solution_to_json(&text, &instance, &solution, &verdict, origin);
    munit_assert_string_equal(text.data, expected);
    struct solution again = solution_of(&instance, text.data);
    munit_assert_size(arrlenu(again.routes), ==, arrlenu(solution.routes));
    solution_finish(&again);
    solution_finish(&solution);
    text_finish(&text);
    instance_finish(&instance);
}

static MunitResult test_solution(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct solution_origin origin = { .decode = "beam",
        .decoder = 2,
        .beam = 50,
        .augment = 8,
        .model = "cvrp.safetensors",
        .device = "gpu",
        .seconds = 0.41 };
#define SQUARE "\"depot\":[0,0],\"nodes\":[[3,0],[3,4],[0,4],[0,1]]"
    expect_solution("{\"problem\":\"cvrp\",\"name\":\"north\"," SQUARE ",\"demand\":[1,2,3,4],\"capacity\":30}",
        "{\"routes\":[[4,3,2,1]]}", &origin,
        "{\"problem\":\"cvrp\",\"name\":\"north\",\"objective\":14.0,\"routes\":[[4,3,2,1]],\"feasible\":true,"
        "\"decoder\":2,\"decode\":\"beam\",\"beam\":50,\"augment\":8,\"model\":\"cvrp.safetensors\",\"device\":\"gpu\","
        "\"seconds\":0.41,\"warnings\":[]}\n");
    expect_solution("{\"problem\":\"sdvrp\"," SQUARE ",\"demand\":[1,2,3,4.5],\"capacity\":5.5,\"ids\":[\"a\",\"b\","
                    "\"c\",9]}",
        "{\"routes\":[[9,\"c\"],[\"c\",\"b\",\"a\"]],\"deliveries\":[[4.5,1],[2,2,1]]}", NULL,
        "{\"problem\":\"sdvrp\",\"objective\":22.0,\"routes\":[[9,\"c\"],[\"c\",\"b\",\"a\"]],"
        "\"deliveries\":[[4.5,1.0],[2.0,2.0,1.0]],\"feasible\":true,\"warnings\":[]}\n");
    const char *const more[] = { "n = 4 is new to the model" };
    origin = (struct solution_origin){ .warnings = more, .warning_count = 1, .has_hindsight = true, .hindsight = true };
    expect_solution("{\"problem\":\"spctsp\"," SQUARE ",\"prize\":[1,1,1,1],\"penalty\":[1,1,1,1],\"min_prize\":0}",
        "{\"routes\":[[4,3]]}", &origin,
        "{\"problem\":\"spctsp\",\"objective\":10.0,\"routes\":[[4,3]],\"feasible\":true,\"unvisited\":[1,2],"
        "\"reasons\":[\"detour\",\"detour\"],"
        "\"prize\":2.0,\"length\":8.0,\"penalty\":2.0,\"hindsight\":true,"
        "\"warnings\":[\"the minimum prize is 0: no customer must be visited\",\"n = 4 is new to the model\"]}\n");
    expect_solution("{\"problem\":\"op\"," SQUARE ",\"prize\":[1,1,1,1],\"max_length\":20}", "{\"routes\":[]}", NULL,
        "{\"problem\":\"op\",\"objective\":0.0,\"routes\":[],\"feasible\":true,\"unvisited\":[1,2,3,4],"
        "\"reasons\":[\"not chosen\",\"not chosen\",\"not chosen\",\"not chosen\"],"
        "\"prize\":0.0,\"length\":0.0,\"penalty\":0.0,\"warnings\":[]}\n");
    return MUNIT_OK;
}

static MunitResult test_verdict(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        struct verdict verdict;
        const char *line;
    } cases[] = {
        { { .feasible = true, .objective = 6.13 }, "{\"feasible\":true,\"objective\":6.13,\"violation\":null}\n" },
        { { .objective = NAN, .violation = "\"x\"\xc3" },
            "{\"feasible\":false,\"objective\":null,\"violation\":\"\\\"x\\\"?\"}\n" },
        { { .feasible = true, .objective = 2.5, .has_rounded = true, .rounded = 3, .rounded_too_long = true },
            "{\"feasible\":true,\"objective\":2.5,\"violation\":null,\"objective_rounded\":3.0,"
            "\"warning\":\"the length limit is met only with unrounded distances\"}\n" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct text text = { 0 };
        verdict_to_json(&text, &cases[k].verdict);
        munit_assert_string_equal(text.data, cases[k].line);
        text_finish(&text);
    }
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/round-trip", test_round_trip),
    TEST("/instance", test_instance),
    TEST("/solution", test_solution),
    TEST("/verdict", test_verdict),
    TEST_END,
};
SUITE("/format/json_write", tests)
