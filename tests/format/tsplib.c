#include "format/tsplib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "format/files.h"
#include "problem/problem.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/text.h"

// Classic files with the optima that are published for them, in their own metric.
static MunitResult test_classics(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *instance, *solution, *name, *problem;
        uint32_t n;
        double optimum;
    } classics[] = {
        { "../../../examples/berlin52.tsp", "berlin52.opt.tour", "berlin52", "tsp", 52, 7542 },
        { "eil51.tsp", "eil51.opt.tour", "eil51", "tsp", 51, 426 },
        { "att48.tsp", "att48.opt.tour", "att48", "tsp", 48, 10628 },
        { "ulysses16.tsp", "ulysses16.opt.tour", "ulysses16.tsp", "tsp", 16, 6859 },
        { "E-n22-k4.vrp", "E-n22-k4.sol", "E-n22-k4", "cvrp", 21, 375 },
    };
    for (size_t i = 0; i < sizeof classics / sizeof classics[0]; i++) {
        struct instance *instances = NULL;
        struct solution *solutions = NULL;
        char *paths[] = { xformat(FIXTURES "/%s", classics[i].instance),
            xformat(FIXTURES "/%s", classics[i].solution) };
        if (!instances_read(paths[0], SIZE_MAX, &instances) || !solutions_read(paths[1], instances, 1, &solutions))
            munit_errorf("%s", error_text());
        const struct instance *instance = &instances[0];
        munit_assert_string_equal(instance->name, classics[i].name);
        munit_assert_string_equal(instance->problem->name, classics[i].problem);
        munit_assert_uint32(instance->n, ==, classics[i].n);
        munit_assert_null(instance->ids);
        munit_assert_false(instance->has_depot_id);
        struct verdict verdict;
        instance->problem->judge(instance, &solutions[0], &verdict);
        munit_assert_true(verdict.feasible);
        munit_assert_true(verdict.has_rounded);
        munit_assert_double(verdict.rounded, ==, classics[i].optimum);
        instance_finish(&instances[0]), solution_finish(&solutions[0]);
        arrfree(instances), arrfree(solutions);
        free(paths[0]), free(paths[1]);
    }
    return MUNIT_OK;
}

static MunitResult test_orienteering(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance *instances = NULL;
    munit_assert_true(instances_read(FIXTURES "/berlin52-gen1-50.oplib", SIZE_MAX, &instances));
    munit_assert_uint32(instances[0].n, ==, 51);
    munit_assert_double(instances[0].max_length, ==, 3771);
    munit_assert_double(instances[0].depot.x, ==, 565);
    munit_assert_double(instances[0].nodes[50].x, ==, 1740);
    munit_assert_double(instances[0].prize[50], ==, 1);
    munit_assert_string_equal(instances[0].warnings[0], "line 62: the score 1 of the depot is ignored");
    instance_finish(&instances[0]);
    arrfree(instances);
    return MUNIT_OK;
}

static void parse(const char *text, struct instance *instance)
{
    if (!tsplib_parse(text, strlen(text), instance))
        munit_errorf("%s", error_text());
}

// The same instance in several spellings.
static MunitResult test_spellings(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char *const spellings[] = {
        "NAME : a b\nTYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 4\n3 0.5 "
        "-1\nEOF\n",
        "NAME:a b\r\nTYPE:TSP (somebody)\r\nDIMENSION:3\r\nEDGE_WEIGHT_TYPE:EUC_2D\r\nNODE_COORD_SECTION\r\n 1 0 0\r\n"
        " 2 3 4\r\n 3 .5 -1\r\n EOF",
        "NODE_COORD_SECTION :\n1 0e0 0\n\n2 3.0e+00 +4\n3\t5E-1\t-1.\nEDGE_WEIGHT_TYPE\tEUC_2D\nCOMMENT\nCOMMENT : "
        "NAME : b\n"
        "dimension : 3\nName: a b",
        "\xEF\xBB\xBFNAME : a b\nTYPE : TSP\nEDGE_WEIGHT_FORMAT: FUNCTION\nDISPLAY_DATA_TYPE: TWOD_DISPLAY\nDIMENSION "
        ": 3\n"
        "NODE_COORD_TYPE: TWOD_COORDS\nEDGE_WEIGHT_TYPE : EUC_2D\nDISPLAY_DATA_SECTION\n1 9 9\n2 9 9\n3 9 9\n"
        "NODE_COORD_SECTION\n1 0 0\n2 3 4\n3 0.5 -1\nEOF\nwhatever follows\n",
    };
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        struct instance instance;
        parse(spellings[i], &instance);
        munit_assert_string_equal(instance.name, "a b");
        munit_assert_string_equal(instance.problem->name, "tsp");
        munit_assert_int(instance.metric, ==, METRIC_EUC_2D);
        munit_assert_uint32(instance.n, ==, 3);
        munit_assert_double(instance.nodes[1].x, ==, 3);
        munit_assert_double(instance.nodes[1].y, ==, 4);
        munit_assert_double(instance.nodes[2].x, ==, 0.5);
        munit_assert_double(instance.nodes[2].y, ==, -1);
        munit_assert_null(instance.ids);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

// Numbers that say more than the order become ids, whichever node the depot is.
static MunitResult test_ids(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        int64_t numbers[3]; // in the file's order
        int64_t depot;
        bool has_ids, has_depot_id;
    } cases[] = {
        { { 1, 2, 3 }, 1, false, false },
        { { 1, 2, 3 }, 3, false, true },
        { { 0, 1, 2 }, 0, false, true },
        { { 1, 2, 3 }, 2, true, true },
        { { 1, 3, 2 }, 1, true, true },
        { { 70, 10, -5 }, 10, true, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text text = { 0 };
        text_add(&text, "TYPE: CVRP\nDIMENSION: 3\nCAPACITY: 2.5\nEDGE_WEIGHT_TYPE: EUC_2D\nDEPOT_SECTION\n%lld -1\n",
            (long long)cases[i].depot);
        text_add(&text, "DEMAND_SECTION\n");
        for (int k = 2; k >= 0; k--) // sections need not agree in order
            text_add(&text, "%lld %s\n", (long long)cases[i].numbers[k],
                cases[i].numbers[k] == cases[i].depot ? "0" : "1.25");
        text_add(&text, "NODE_COORD_SECTION\n");
        for (int k = 0; k < 3; k++)
            text_add(&text, "%lld %d 0\n", (long long)cases[i].numbers[k], (k + 1) * 10);
        struct instance instance;
        parse(text.data, &instance);
        munit_assert_uint32(instance.n, ==, 2);
        munit_assert_int64(instance.capacity, ==, 250);
        munit_assert_double(instance.demand_scale, ==, 100);
        munit_assert_int(instance.ids != NULL, ==, cases[i].has_ids);
        munit_assert_int(instance.has_depot_id, ==, cases[i].has_depot_id);
        for (int k = 0, customer = 0; k < 3; k++) {
            if (cases[i].numbers[k] == cases[i].depot) {
                munit_assert_double(instance.depot.x, ==, (k + 1) * 10);
                continue;
            }
            munit_assert_double(instance.nodes[customer].x, ==, (k + 1) * 10);
            munit_assert_int64(instance.demand[customer], ==, 125);
            if (instance.ids)
                munit_assert_int64(instance.ids[customer].number, ==, cases[i].numbers[k]);
            customer++;
        }
        if (instance.has_depot_id)
            munit_assert_int64(instance.depot_id.number, ==, cases[i].depot);
        instance_finish(&instance);
        text_finish(&text);
    }
    return MUNIT_OK;
}

// Bytes that neither JSON nor a picture could hold.
static MunitResult test_names(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *name, *expected;
    } cases[] = {
        { "Z\xC3\xBCrich", "Z\xC3\xBCrich" },
        { "Z\xFCrich", "Z?rich" },
        { "a\x01\x1B[1m", "a??[1m" },
        { "", NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text =
            xformat("NAME: %s\nDIMENSION: 1\nEDGE_WEIGHT_TYPE: GEO\nNODE_COORD_SECTION\n1 2 3\n", cases[i].name);
        struct instance instance;
        parse(text, &instance);
        munit_assert_int(instance.name != NULL, ==, cases[i].expected != NULL);
        if (cases[i].expected)
            munit_assert_string_equal(instance.name, cases[i].expected);
        instance_finish(&instance);
        free(text);
    }
    return MUNIT_OK;
}

#define HEAD "DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\n" // 2 lines
#define GEO  "DIMENSION: 2\nEDGE_WEIGHT_TYPE: GEO\nNODE_COORD_SECTION\n"
#define TSP  HEAD "NODE_COORD_SECTION\n"                      // 3 lines
#define VRP  "TYPE: CVRP\nCAPACITY: 9\n" TSP "1 0 0\n2 1 1\n" // 7 lines
#define OP   "TYPE: OP\nCOST_LIMIT: 9\n" TSP "1 0 0\n2 1 1\n" // 7 lines

#define EXPLICIT "DIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: "

// The same matrix in every format, and the depot first.
static MunitResult test_explicit(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char *const formats[] = { "FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 2\n1 0\n3 2 3 0",
        "UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2\n3", "LOWER_ROW\nEDGE_WEIGHT_SECTION\n1\n2 3",
        "UPPER_DIAG_ROW\nEDGE_WEIGHT_SECTION\n0 1 2 0 3 0", "LOWER_DIAG_ROW\nEDGE_WEIGHT_SECTION\n0 1 0 2 3 0",
        "UPPER_COL\nEDGE_WEIGHT_SECTION\n1 2 3", "LOWER_COL\nEDGE_WEIGHT_SECTION\n1 2 3" };
    struct instance instance;
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        char text[300];
        snprintf(text, sizeof text, "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: %s\n", formats[k]);
        parse(text, &instance);
        munit_assert_int(instance.coordinates, ==, COORDINATES_NONE);
        for (uint32_t i = 0; i < 9; i++)
            munit_assert_double(instance.distances[i], ==, i / 3 == i % 3 ? 0 : i / 3 + i % 3);
        munit_assert_int(instance.metric, ==, METRIC_EUCLID);
        instance_finish(&instance);
    }
    parse("TYPE: ATSP\n" EXPLICIT "FULL_MATRIX\nEDGE_WEIGHT_SECTION\n9 5\n7 9\n", &instance);
    munit_assert_true(instance.problem == &problem_tsp);
    munit_assert_double(instance.distances[1], ==, 5);
    munit_assert_double(instance.distances[2], ==, 7);
    instance_finish(&instance);
    parse("TYPE: CVRP\nCAPACITY: 9\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"
          "EDGE_WEIGHT_SECTION\n0 1 2\n3 0 4\n5 6 0\nDEMAND_SECTION\n1 2\n2 0\n3 4\nDEPOT_SECTION\n2\n-1\n",
        &instance);
    static const double depot_first[] = { 0, 3, 4, 1, 0, 2, 6, 5, 0 };
    for (uint32_t i = 0; i < 9; i++)
        munit_assert_double(instance.distances[i], ==, depot_first[i]);
    instance_finish(&instance);
    return MUNIT_OK;
}

static MunitResult test_wrong(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        { "", "line 1: *" },
        { "hello\n", "line 1: *" },
        { "GAP_SECTION: 1\n", "line 1: *" },
        { "TYPE: HCP\n" HEAD, "line 1: *" },
        { "TYPE: ATSP\n" HEAD, "line 3: *" },
        { "DIMENSION: 1e9\n", "line 1: *" },
        { "DIMENSION: 0\n", "line 1: *" },
        { "DIMENSION: 2\nDIMENSION: 2\n", "line 2: *" },
        { "1 2 3\n", "line 1: *" },
        { "NODE_COORD_TYPE: THREED_COORDS\n", "line 1: *" },
        { HEAD, "line 2: *" },
        { EXPLICIT "FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 2\n", "line 4: *" },
        { EXPLICIT "FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 -1\n2 0\n", "line 5: *" },
        { EXPLICIT "FUNCTION\nEDGE_WEIGHT_SECTION\n0 1\n", "line 3: *" },
        { "DIMENSION: 2002\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n0 1\n",
            "line 4: *" },
        { HEAD "FIXED_EDGES_SECTION\n1 2\n", "line 3: *" },
        { "TYPE: TOUR\nTOUR_SECTION\n1\n", "line 2: *" },
        { "DIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\nNODE_COORD_SECTION\n1 0 0\n2 0 0\n", "line 5: *" },
        { TSP "1 0 0\n", "line 4: *" },
        { TSP "1 0 0\n2 0 0\n3 0 0\n", "line 6: *" },
        { TSP, "line 3: *" },
        { "DIMENSION: 9223372036854775807\nEDGE_WEIGHT_TYPE: ATT\nNODE_COORD_SECTION\n1 0 0\nEOF\n", "line 4: *" },
        { TSP "7 0 0\n7 0 0\n", "line 5: *" },
        { TSP "1 0\n2 0 0\n", "line 4: *" },
        { TSP "1 0 0 0\n", "line 4: *" },
        { TSP "1.5 0 0\n", "line 4: *" },
        { TSP "1 nan 0\n", "line 4: *" },
        { TSP "1 0 inf\n", "line 4: *" },
        { TSP "1 0 1e999\n", "line 4: *" },
        { TSP "1 0 1e200\n", "line 4: *" },
        { GEO "1 90 -180\n2 90.01 0\n", "line 5: *" },
        { GEO "1 -90 180\n2 0 -181\n", "line 5: *" },
        { "CAPACITY: 0\n", "line 1: *" },
        { "COST_LIMIT: -1\n", "line 1: *" },
        { "CAPACITY: 5\n" TSP "1 0 0\n2 0 0\n", "line 1: *" },
        { "DISTANCE: 200\n" VRP, "line 1: *" },
        { "SERVICE_TIME: 10\n" VRP, "line 1: *" },
        { VRP, "line 7: *" },
        { VRP "DEMAND_SECTION\n1 0\n2 3\n", "line 10: *" },
        { VRP "DEMAND_SECTION\n1 0\nDEPOT_SECTION\n1\n-1\n", "line 7: *" },
        { VRP "DEMAND_SECTION\n1 0\n2 3\n3 1\nDEPOT_SECTION\n1\n-1\n", "line 11: *" },
        { VRP "DEMAND_SECTION\n0 0\n1 3\n2 1\nDEPOT_SECTION\n1\n-1\n", "line 9: *" },
        { VRP "DEMAND_SECTION\n1 0\n2 3\nDEPOT_SECTION\n-1\n", "line 11: *" },
        { VRP "DEMAND_SECTION\n1 0\n2 3\nDEPOT_SECTION\n5 -1\n", "line 12: *" },
        { VRP "DEMAND_SECTION\n1 0\n2 3\nDEPOT_SECTION\n1 2 -1\n", "line 12: *" },
        { VRP "DEMAND_SECTION\n1 0\n2 3\nDEPOT_SECTION\n0.5 0.5\n", "line 12: *" },
        { VRP "DEMAND_SECTION\n1 1\n2 3\nDEPOT_SECTION\n1\n-1\n", "line 9: *" },
        { VRP "DEMAND_SECTION\n1 0\n2 -3\nDEPOT_SECTION\n1\n-1\n", "line 10: *" },
        { VRP "DEMAND_SECTION\n1 0\n2 45\nDEPOT_SECTION\n1\n-1\n", "line 10: *" },
        { VRP "NODE_SCORE_SECTION\n1 0\n", "line 8: *" },
        { OP "NODE_SCORE_SECTION\n1 0\n2 -3\nDEPOT_SECTION\n1\n-1\n", "line 10: *" },
        { "TYPE: OP\nCOST_LIMIT: 9\nDIMENSION: 1\nEDGE_WEIGHT_TYPE: GEO\nNODE_COORD_SECTION\n1 0 "
          "0\nNODE_SCORE_SECTION\n1 0\n"
          "DEPOT_SECTION\n1\n-1\n",
            "line 4: *" },
        { "TYPE: OP\nCOST_LIMIT: 9\nDIMENSION: 1\nEDGE_WEIGHT_TYPE: CEIL_2D\nNODE_COORD_SECTION\n1 0 "
          "0\nNODE_SCORE_SECTION\n"
          "1 0\nDEPOT_SECTION\n1\n-1\n",
            "line 6: *" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct instance instance;
        error_clear();
        if (tsplib_parse(cases[i].text, strlen(cases[i].text), &instance))
            munit_errorf("read without complaint:\n%s", cases[i].text);
        expect_message(error_text(), cases[i].sentence);
        munit_assert_int(error_fault(), ==, FAULT_INPUT);
        munit_assert_null(instance.nodes);
    }
    static const char zero[] = "NAME: a\0b\n";
    struct instance instance;
    munit_assert_false(tsplib_parse(zero, sizeof zero - 1, &instance));
    expect_message(error_text(), "line 1: *");
    return MUNIT_OK;
}

static MunitResult test_warnings(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance;
    parse("PLANET: Mars\nMOON: Deimos\nVEHICLES: 3\nSERVICE_TIME: 0\n" VRP
          "DEMAND_SECTION\n1 0\n2 9\nDEPOT_SECTION\n1\n",
        &instance);
    expect_message(instance.warnings[0], "line 1: *");
    munit_assert_double(instance.vehicles, ==, 3);
    instance_finish(&instance);
    parse("DIMENSION: 2\nEDGE_WEIGHT_TYPE: GEO\nNODE_COORD_SECTION\n1 48.5 2.2\n2 52.3 13.2\n", &instance);
    munit_assert_string_equal(instance.warnings[0],
        "solved as if degrees were plane coordinates; objective_rounded is the length on the globe");
    instance_finish(&instance);
    return MUNIT_OK;
}

// A line of 16 MiB, and a file of a million lines that mean nothing, are read within the memory they need.
static MunitResult test_long(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    size_t size = 16 << 20;
    char *text = xcalloc(size + 1, 1);
    struct instance instance;
    memset(text, '1', size);
    munit_assert_false(tsplib_parse(text, size, &instance));
    memcpy(text, "NAME: ", 6);
    munit_assert_false(tsplib_parse(text, size, &instance));
    expect_message(error_text(), "line 1: *");
    for (size_t i = 0; i < size; i += 16)
        memcpy(text + i, "ABCDEFGHIJKLM:1\n", 16);
    munit_assert_false(tsplib_parse(text, size, &instance));
    expect_message(error_text(), "line 1048576: *");
    free(text);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/classics", test_classics, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/orienteering", test_orienteering, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/spellings", test_spellings, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/ids", test_ids, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/names", test_names, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/explicit", test_explicit, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/wrong", test_wrong, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/warnings", test_warnings, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/long", test_long, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/format/tsplib", tests)
