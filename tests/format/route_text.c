#include "format/route_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "format/json.h"
#include "suite.h"
#include "util/error.h"

static void read_instance(const char *json, struct instance *instance)
{
    struct instance *instances = NULL;
    if (!instances_from_json(json, strlen(json), 1, &instances))
        munit_errorf("%s", error_text());
    *instance = instances[0];
    arrfree(instances);
}

static void add_route(struct solution *solution, size_t count, const uint32_t *stops)
{
    struct route route = { 0 };
    for (size_t i = 0; i < count; i++)
        arrput(route.stops, stops[i]);
    arrput(solution->routes, route);
}

static void expect_same(const struct solution *a, const struct solution *b)
{
    munit_assert_size(arrlenu(a->routes), ==, arrlenu(b->routes));
    for (size_t r = 0; r < arrlenu(a->routes); r++) {
        munit_assert_size(arrlenu(a->routes[r].stops), ==, arrlenu(b->routes[r].stops));
        munit_assert_memory_equal(
            arrlenu(a->routes[r].stops) * sizeof(uint32_t), a->routes[r].stops, b->routes[r].stops);
    }
}

#define NODES "\"nodes\": [[3, 4], [0, 8], [6, 8], [6, 0]]"
#define CVRP  "{\"problem\": \"cvrp\", \"depot\": [0, 0], \"demand\": [1, 2, 3, 4], \"capacity\": 6, " NODES

// Compares the written bytes, and reads them back as the same routes.
static MunitResult test_written(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *instance;
        uint32_t first[4], second[4]; // stops of two routes; 0 ends
        const char *sol, *tour;
    } cases[] = {
        { "{\"problem\": \"tsp\", \"name\": \"t\", " NODES "}", { 1, 2, 3, 4 }, { 0 }, "Route #1: 1 2 3 4\nCost 24\n",
            "NAME : t.tour\nCOMMENT : Length = 24\nTYPE : TOUR\nDIMENSION : 4\nTOUR_SECTION\n1\n2\n3\n4\n-1\nEOF\n" },
        { "{\"problem\": \"tsp\", \"ids\": [7, 0, 5, 12], " NODES "}", { 1, 2, 3, 4 }, { 0 },
            "Route #1: 7 0 5 12\nCost 24\n",
            "NAME : tsp.tour\nCOMMENT : Length = 24\nTYPE : TOUR\nDIMENSION : "
            "4\nTOUR_SECTION\n7\n0\n5\n12\n-1\nEOF\n" },
        { "{\"problem\": \"tsp\", \"ids\": [\"a b\", 1, 2, 3], " NODES "}", { 1, 2, 3, 4 }, { 0 },
            "Route #1: 1 2 3 4\nCost 24\n",
            "NAME : tsp.tour\nCOMMENT : Length = 24\nTYPE : TOUR\nDIMENSION : 4\nTOUR_SECTION\n1\n2\n3\n4\n-1\nEOF\n" },
        { CVRP "}", { 1, 3 }, { 4, 2 }, "Route #1: 1 3\nRoute #2: 4 2\nCost 44\n",
            "NAME : cvrp.tour\nCOMMENT : Length = 44\nTYPE : TOUR\nDIMENSION : "
            "5\nTOUR_SECTION\n1\n2\n4\n1\n5\n3\n-1\nEOF\n" },
        { CVRP ", \"depot_id\": 9}", { 1, 3 }, { 4, 2 }, "Route #1: 1 3\nRoute #2: 4 2\nCost 44\n",
            "NAME : cvrp.tour\nCOMMENT : Length = 44\nTYPE : TOUR\nDIMENSION : "
            "5\nTOUR_SECTION\n9\n1\n3\n9\n4\n2\n-1\nEOF\n" },
        { CVRP ", \"ids\": [20, 30, 40, 50], \"depot_id\": 10}", { 1, 3 }, { 4, 2 },
            "Route #1: 20 40\nRoute #2: 50 30\nCost 44\n",
            "NAME : cvrp.tour\nCOMMENT : Length = 44\nTYPE : TOUR\nDIMENSION : "
            "5\nTOUR_SECTION\n10\n20\n40\n10\n50\n30\n-1\n"
            "EOF\n" },
        { CVRP ", \"ids\": [20, 30, 40, 50]}", { 1, 3 }, { 4, 2 }, "Route #1: 20 40\nRoute #2: 50 30\nCost 44\n",
            "NAME : cvrp.tour\nCOMMENT : Length = 44\nTYPE : TOUR\nDIMENSION : "
            "5\nTOUR_SECTION\n1\n2\n4\n1\n5\n3\n-1\nEOF\n" },
        { "{\"problem\": \"op\", \"name\": \"a\\nb\", \"depot\": [0, 0], \"prize\": [1, 2, 3, 0.5], \"max_length\": "
          "25, " NODES "}",
            { 1, 3 }, { 0 }, "Route #1: 1 3\nScore 4\nCost 20\n",
            "NAME : a?b.tour\nCOMMENT : Score = 4, Length = 20\nTYPE : TOUR\nDIMENSION : "
            "5\nTOUR_SECTION\n1\n2\n4\n-1\nEOF\n" },
        { "{\"problem\": \"op\", \"depot\": [0, 0], \"prize\": [1, 2, 3, 0.5], \"max_length\": 25, " NODES "}", { 0 },
            { 0 }, "Route #1:\nScore 0\nCost 0\n",
            "NAME : op.tour\nCOMMENT : Score = 0, Length = 0\nTYPE : TOUR\nDIMENSION : 5\nTOUR_SECTION\n1\n-1\nEOF\n" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct instance instance;
        read_instance(cases[i].instance, &instance);
        struct solution solution = { 0 }, back;
        const uint32_t *lists[] = { cases[i].first, cases[i].second };
        for (int r = 0; r < 2; r++) {
            size_t count = 0;
            while (count < 4 && lists[r][count])
                count++;
            if (count)
                add_route(&solution, count, lists[r]);
        }
        struct verdict verdict;
        instance.problem->judge(&instance, &solution, &verdict);
        munit_assert_true(verdict.feasible);

        struct text sol = { 0 }, tour = { 0 };
        sol_write(&sol, &instance, &solution, &verdict);
        munit_assert_string_equal(sol.data, cases[i].sol);
        munit_assert_true(sol_parse(sol.data, sol.size, &instance, &back));
        expect_same(&solution, &back);
        solution_finish(&back);

        tour_write(&tour, &instance, &solution, &verdict);
        munit_assert_string_equal(tour.data, cases[i].tour);
        munit_assert_true(tour_parse(tour.data, tour.size, &instance, &back));
        expect_same(&solution, &back);
        solution_finish(&back);

        text_finish(&sol), text_finish(&tour);
        solution_finish(&solution), instance_finish(&instance);
    }
    return MUNIT_OK;
}

// As other programs write them.
static MunitResult test_read(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance;
    read_instance(CVRP "}", &instance);
    struct solution expected = { 0 }, solution;
    add_route(&expected, 2, (uint32_t[]){ 1, 3 });
    add_route(&expected, 2, (uint32_t[]){ 4, 2 });
    static const char *const sols[] = {
        "Route #1: 1 3\nRoute #2: 4 2\nCost 44.0\n",
        "route #1 : 0 1 3 0\r\nRoute #2: 0 4 2 0\r\nRoute #3:\r\ncost 44\r\nTime 0.1\r\n",
        "# a remark\n\nRoute 1: 1 3\nRoute 2:\t4 2",
        "\xEF\xBB\xBFRoute #1: 1 3\nRoute #2: 4 2\n",
    };
    for (size_t i = 0; i < sizeof sols / sizeof sols[0]; i++) {
        munit_assert_true(sol_parse(sols[i], strlen(sols[i]), &instance, &solution));
        expect_same(&expected, &solution);
        solution_finish(&solution);
    }
    static const char *const tours[] = {
        "TYPE : TOUR\nTOUR_SECTION\n1 2 4 1 5 3\n-1\n",
        "TOUR_SECTION\r\n1 2 4 -1\r\n1 5 3 -1\r\n-1\r\nEOF\r\n",
        "NAME : x\nTYPE : OP\nROUTE_SCORE : "
        "3\nNODE_SEQUENCE_SECTION\n1\n2\n4\n1\n5\n3\n-1\nDEPOT_SECTION\n1\n-1\nEOF\n",
        "TOUR_SECTION\n1\n2\n4\n1\n5\n3", // ends early, after all nodes
        "\xEF\xBB\xBFTOUR_SECTION\n1 2 4 1 5 3\n-1\n",
    };
    for (size_t i = 0; i < sizeof tours / sizeof tours[0]; i++) {
        munit_assert_true(tour_parse(tours[i], strlen(tours[i]), &instance, &solution));
        expect_same(&expected, &solution);
        solution_finish(&solution);
    }
    solution_finish(&expected);
    instance_finish(&instance);
    return MUNIT_OK;
}

// The objective that a .sol states, in a file with the format's metric or without.
static MunitResult test_claims(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char op[] = "{\"problem\": \"op\", \"depot\": [0, 0], \"nodes\": [[3, 0], [3, 4]], "
                             "\"prize\": [1, 2], \"max_length\": 20}";
    static const struct {
        const char *instance, *lines;
        bool has_claim, is_false;
    } cases[] = {
        { CVRP "}", "Cost 44\n", true, false }, { CVRP "}", "cost: 43\n", true, true },
        { CVRP "}", "Cost : 44.0001 seconds 7\n", true, false }, { CVRP "}", "Cost unknown\n", false, false },
        { CVRP "}", "", false, false }, { op, "Score 3\nCost 12\n", true, false },
        { op, "Score 2\nCost 12\n", true, true }, { op, "Cost 44\n", false, false }, // a length
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct instance instance;
        struct solution solution;
        read_instance(cases[i].instance, &instance);
        char text[200];
        const bool prizes = instance.problem->maximise;
        snprintf(text, sizeof text, "Route #1: 1 %s\n%s", prizes ? "2" : "3\nRoute #2: 4 2", cases[i].lines);
        munit_assert_true(sol_parse(text, strlen(text), &instance, &solution));
        struct verdict verdict;
        instance.problem->judge(&instance, &solution, &verdict);
        verdict_compare(&verdict, &solution);
        munit_assert_true(verdict.feasible);
        munit_assert_int(solution.has_claim, ==, cases[i].has_claim);
        munit_assert_int(verdict.false_claim, ==, cases[i].is_false);
        solution_finish(&solution);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

static MunitResult test_wrong(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        bool tour, ids;
        const char *text, *sentence; // NULL: the judge refuses it
    } cases[] = {
        { false, false, "", "line 1: *" },
        { false, false, "Cost 3\n", "line 1: *" },
        { false, false, "\nRoute #1 1 2\n", "line 2: *" },
        { false, false, "Route #1: 1 x\n", "line 1: *" },
        { false, false, "Route #1: 1 2.5\n", "line 1: *" },
        { false, false, "Route #1: -2\n", "line 1: *" },
        { false, false, "Route #1: -9223372036854775808\n", "line 1: *" },
        { false, false, "Route #1: 5000000000\n", "line 1: *" },
        { false, false, "Route #1: 5\n", NULL },
        { false, true, "Route #1: 20\nRoute #2: 5\n", "line 2: *" },
        { true, false, "TYPE : TOUR\n", "line 1: *" },
        { true, false, "TOUR_SECTION\n1\n2\n2x\n", "line 4: *" },
        { true, false, "TOUR_SECTION\n1\n-7\n", "line 3: *" },
        { true, false, "TOUR_SECTION\n1\n6\n-1\n", NULL },
        { true, true, "TOUR_SECTION\n10\n20\n1\n", "line 4: *" },
    };
    struct instance plain, named;
    read_instance(CVRP "}", &plain);
    read_instance(CVRP ", \"ids\": [20, 30, 40, 50], \"depot_id\": 10}", &named);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct instance *instance = cases[i].ids ? &named : &plain;
        struct solution solution;
        bool ok = (cases[i].tour ? tour_parse : sol_parse)(cases[i].text, strlen(cases[i].text), instance, &solution);
        munit_assert_int(ok, ==, !cases[i].sentence);
        if (ok) {
            struct verdict verdict;
            instance->problem->judge(instance, &solution, &verdict);
            munit_assert_false(verdict.feasible);
            solution_finish(&solution);
            continue;
        }
        expect_message(error_text(), cases[i].sentence);
        munit_assert_int(error_fault(), ==, FAULT_INPUT);
        munit_assert_null(solution.routes);
    }
    instance_finish(&plain), instance_finish(&named);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/written", test_written, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/read", test_read, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/claims", test_claims, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/wrong", test_wrong, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/format/route_text", tests)
