#include "problem/describe.h"

#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "format/json.h"
#include "suite.h"
#include "util/error.h"

#define EIGHT "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4" // 16 bytes
#define LONG  EIGHT EIGHT EIGHT "aaaaaaaaaaaa" EIGHT EIGHT
#define NODES "\"nodes\": [[3, 4], [0, 8], [6, 8], [6, 0]]"

static MunitResult test_solutions(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *instance, *solution, *expected;
    } cases[] = {
        { "{\"problem\": \"tsp\", \"name\": \"t\", " NODES "}", "{\"routes\": [[1, 2, 3, 4]]}",
            "TSP t: length 24\n  route 1 (4 stops, length 24): 1, 2, 3, 4\n" },
        { "{\"problem\": \"cvrp\", \"depot\": [0, 0], \"demand\": [1, 2, 3, 4], \"capacity\": 6, "
          "\"ids\": [\"a\", \"b\", \"c\", \"d\"], " NODES "}",
            "{\"routes\": [[\"a\", \"c\"], [\"d\", \"b\"]]}",
            "CVRP: length 44, 2 routes\n  route 1 (2 stops, load 4 of 6, length 20): a, c\n"
            "  route 2 (2 stops, load 6 of 6, length 24): d, b\n" },
        // Names of any length in full; messages cut them between characters.
        { "{\"problem\": \"cvrp\", \"depot\": [0, 0], \"demand\": [1], \"capacity\": 6, \"ids\": [\"" LONG
          "\"], \"nodes\": [[3, 4]]}",
            "{\"routes\": [[\"" LONG "\"]]}",
            "CVRP: length 10, 1 route\n  route 1 (1 stop, load 1 of 6, length 10): " LONG "\n" },
        { "{\"problem\": \"cvrp\", \"depot\": [0, 0], \"demand\": [1], \"capacity\": 6, \"ids\": [\"" LONG
          "\"], \"nodes\": [[3, 4]]}",
            "{\"routes\": []}",
            "CVRP: length 0, 0 routes\n  infeasible: customer " EIGHT EIGHT EIGHT "aaaaaaaaaaaa.. is not visited\n"
            "  not visited: " LONG "\n" },
        { "{\"problem\": \"cvrp\", \"depot\": [0, 0], \"demand\": [1, 2, 3, 4], \"capacity\": 6, " NODES "}",
            "{\"routes\": [[1, 9]]}",
            "CVRP: length nan, 1 route\n  infeasible: route 1, stop 2: there is no customer 9, only 1 to 4\n"
            "  route 1 (2 stops, load 1 of 6, length 10): 1, 9\n  not visited: 2, 3, 4\n" },
        { "{\"problem\": \"sdvrp\", \"depot\": [0, 0], \"demand\": [0.5, 1], \"capacity\": 1, "
          "\"nodes\": [[3, 4], [6, 8]]}",
            "{\"routes\": [[1, 2], [2]], \"deliveries\": [[0.5, 0.5], [0.5]]}",
            "SDVRP: length 40, 2 routes\n  route 1 (2 stops, load 1 of 1, length 20): 1, 2 (0.5)\n"
            "  route 2 (1 stop, load 0.5 of 1, length 20): 2 (0.5)\n" },
        { "{\"problem\": \"op\", \"depot\": [0, 0], \"prize\": [1, 2, 3, 0.5], \"max_length\": 25, " NODES "}",
            "{\"routes\": [[1, 3]]}",
            "OP: prize 4, length 20 of 25\n  route 1 (2 stops, length 20): 1, 3\n  not visited: 2, 4\n" },
        { "{\"problem\": \"pctsp\", \"depot\": [0, 0], \"prize\": [1, 2, 3, 0.5], \"penalty\": [1, 1, 1, 2], "
          "\"min_prize\": 4, " NODES "}",
            "{\"routes\": [[1, 3]]}",
            "PCTSP: cost 23 = length 20 + penalties 3, prize 4 of 4\n  route 1 (2 stops, length 20): 1, 3\n"
            "  not visited: 2, 4\n" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct instance *instances = NULL;
        struct solution *solutions = NULL;
        if (!instances_from_json(cases[i].instance, strlen(cases[i].instance), 1, &instances) ||
            !solutions_from_json(cases[i].solution, strlen(cases[i].solution), instances, 1, &solutions))
            munit_errorf("%s", error_text());
        struct verdict verdict;
        instances[0].problem->judge(&instances[0], &solutions[0], &verdict);
        struct text text = { 0 };
        describe_solution(&text, &instances[0], &solutions[0], &verdict);
        munit_assert_string_equal(text.data, cases[i].expected);
        text_finish(&text);
        instance_finish(&instances[0]), solution_finish(&solutions[0]);
        arrfree(instances), arrfree(solutions);
    }
    return MUNIT_OK;
}

static MunitResult test_weights(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char json[] = "{\"problem\": \"spctsp\", \"depot\": [0, 0], \"nodes\": [[1, 1]], \"prize\": [1.5], "
                               "\"real_prize\": [2], \"penalty\": [3]}";
    struct instance *instances = NULL;
    munit_assert_true(instances_from_json(json, strlen(json), 1, &instances));
    struct text text = { 0 };
    describe_weight(&text, &instances[0], 0);
    munit_assert_string_equal(text.data, "expected prize 1.5, real prize 2, penalty 3");
    text_finish(&text);
    instance_finish(&instances[0]);
    arrfree(instances);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/solutions", test_solutions, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/weights", test_weights, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/problem/describe", tests)
