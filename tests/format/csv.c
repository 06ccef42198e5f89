// Tables in, maps out, and variants of instances through JSON and back.
#include "format/csv.h"

#include <stb/stb_ds.h>
#include <string.h>

#include "expect.h"
#include "format/geo.h"
#include "format/json.h"
#include "suite.h"
#include "util/error.h"

static MunitResult test_tables(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char *const tables[] = {
        "id,lon,lat,demand,capacity,vehicles\nhub,4.9,45.7,,30,3\n\"a, b\",4.8,45.6,7\nc,4.7,45.5,5,,\n",
        "\xEF\xBB\xBF# orders\r\nDemand;ID;LAT;LON;Capacity;vehicles\r\n;hub;45.7;4.9;30;3\r\n7;a, b;45.6;4.8\r\n"
        "5;c;45.5;4.7;;\r\n",
    };
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        struct instance instance;
        if (!csv_parse(tables[k], strlen(tables[k]), NULL, &instance))
            munit_errorf("%s", error_text());
        munit_assert_true(instance.problem == &problem_cvrp && instance.coordinates == COORDINATES_LONLAT);
        munit_assert_uint32(instance.n, ==, 2);
        munit_assert_double(instance.depot.x, ==, 4.9);
        munit_assert_double(instance.nodes[1].y, ==, 45.5);
        munit_assert_int64(instance.demand[0], ==, 7);
        munit_assert_int64(instance.capacity, ==, 30);
        munit_assert_double(instance.vehicles, ==, 3);
        munit_assert_string_equal(instance.ids[0].text, "a, b");
        munit_assert_string_equal(instance.depot_id.text, "hub");
        instance_finish(&instance);
    }
    static const char plane[] = "x\ty\n1\t2\n3\t4\n", prizes[] = "id,x,y,prize,max_length\n,0,0,,9\n7,1,1,2\n";
    struct instance instance;
    munit_assert_true(csv_parse(plane, strlen(plane), NULL, &instance));
    munit_assert_true(instance.problem == &problem_tsp && instance.coordinates == COORDINATES_PLANE && !instance.ids);
    instance_finish(&instance);
    munit_assert_true(csv_parse(prizes, strlen(prizes), NULL, &instance));
    munit_assert_true(instance.problem == &problem_op && instance.ids[0].number == 7 && instance.max_length == 9);
    instance_finish(&instance);
    return MUNIT_OK;
}

static MunitResult test_wrong(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *text, *location;
    } cases[] = { { "", "line 1: " }, { "id,x,y\n", "line 1: " }, { "id,x,y,due\n1,2,3,4\n", "line 1: " },
        { "x,y\n1,2\n3\n", "line 3: " }, { "x,y\n1,2\n3,four\n", "line 3: " },
        { "x,y,demand,capacity\n1,2,,9\n", "line 2: " }, { "x,y,demand,capacity\n1,2,,\n2,3,4\n", "line 2: " },
        { "id,x,y\na,1,2\n,3,4\n", "line 3: " }, { "x,y,X\n1,2,3\n", "line 1: the column \"x\" appears twice" },
        { "x,y\n1,2\n3,4,,5\n", "line 3: 4 fields, but the header has 2" },
        { "x,y,demand,capacity\n1,2,3,9\n2,3,4\n", "line 2: the first row is the depot, which has no demand" },
        { "x,y,demand,capacity\n1,2,0,9\n2,3,4,9.0\n2,4,4,8\n", "line 4: capacity is not that of the first row" },
        { "x,y,demand,capacity,vehicles\n1,2,,9,\n2,3,4,9,2\n", "line 3: vehicles is not that of the first row" },
        { "id,x,y\nM\xFCnster,1,2\n", "line 2: the table is not UTF-8" },
        { "\xFF\xFEx,y\n", "line 1: the table is not UTF-8" },
        { "x,y,id\n1,2,a\n3,4,\"b\n5,6,c\n", "line 3: quotes do not end" },
        { "lon,lat\n1,2\n300,4\n", "coordinates of node 2" } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct instance instance;
        error_clear();
        if (csv_parse(cases[k].text, strlen(cases[k].text), NULL, &instance))
            munit_errorf("read without complaint:\n%s", cases[k].text);
        if (strncmp(error_text(), cases[k].location, strlen(cases[k].location)) != 0)
            munit_errorf("%s: not at %s", error_text(), cases[k].location);
        munit_assert_int(error_fault(), ==, FAULT_INPUT);
    }
    return MUNIT_OK;
}

// Ids are as they are written, rows that begin with # count, and so do empty fields between tabs; blank rows do not.
static MunitResult test_ids(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char *const tables[] = {
        "# a comment\nid,x,y,demand,capacity\n#0,0,0,,30\n#1,1,1,7,\n007,2,2,5,\n+7,3,3,1,\n7,4,4,2,\n,,,,\n",
        "demand\tid\tx\ty\tvehicles\tcapacity\n\t#0\t0\t0\t\t30\n7\t#1\t1\t1\n5\t007\t2\t2\n1\t+7\t3\t3\n"
        "2\t7\t4\t4\n\t\t\n",
    };
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        struct instance instance;
        if (!csv_parse(tables[k], strlen(tables[k]), NULL, &instance))
            munit_errorf("%s", error_text());
        munit_assert_uint32(instance.n, ==, 4);
        munit_assert_string_equal(instance.depot_id.text, "#0");
        munit_assert_string_equal(instance.ids[0].text, "#1");
        munit_assert_string_equal(instance.ids[1].text, "007");
        munit_assert_string_equal(instance.ids[2].text, "+7");
        munit_assert_true(!instance.ids[3].text && instance.ids[3].number == 7);
        munit_assert_int64(instance.demand[3], ==, 2);
        munit_assert_int64(instance.capacity, ==, 30);
        munit_assert_double(instance.depot.x, ==, 0);
        instance_finish(&instance);
    }
    static const char blank[] = "id,x,y,demand,capacity\n\" \",0,0,,30\n0,1,1,7,\n";
    struct instance instance;
    munit_assert_true(csv_parse(blank, strlen(blank), NULL, &instance));
    munit_assert_false(instance.has_depot_id); // nor is it 0
    instance_finish(&instance);
    return MUNIT_OK;
}

static size_t occurrences(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        count++;
    return count;
}

static MunitResult test_maps(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char table[] = "id,lon,lat,demand,capacity\nhub,4.9,45.7,,30\na<b,4.8,45.6,7\nc,4.7,45.5,5\n";
    struct instance instance;
    munit_assert_true(csv_parse(table, strlen(table), NULL, &instance));
    for (int open = 0; open < 2; open++) {
        struct solution solution = { 0 };
        struct route route = { 0 };
        struct text map = { 0 }, track = { 0 };
        instance.open = open;
        arrput(route.stops, 2);
        arrput(solution.routes, route);
        geojson_write(&map, &instance, &solution);
        gpx_write(&track, &instance, &solution);
        munit_assert_size(occurrences(map.data, "\"LineString\""), ==, 1);
        munit_assert_size(occurrences(map.data, "\"Point\""), ==, 3);
        munit_assert_size(occurrences(map.data, "\"route\":null"), ==, 1);
        munit_assert_size(occurrences(track.data, "<rtept "), ==, open ? 2 : 3);
        munit_assert_size(occurrences(track.data, "<wpt "), ==, 1);
        munit_assert_not_null(strstr(track.data, "a&lt;b"));
        text_finish(&map), text_finish(&track);
        solution_finish(&solution);
    }
    instance_finish(&instance);
    return MUNIT_OK;
}

static MunitResult test_variants(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char *const texts[] = {
        "{\"problem\":\"cvrp\",\"coordinates\":\"lonlat\",\"depot\":[1.5,2],\"nodes\":[[3,4],[5,6]],\"open\":true,"
        "\"demand\":[1,2],\"capacity\":4,\"vehicles\":2}\n",
        "{\"problem\":\"op\",\"distances\":[[0,1.5,2],[3,0,4],[5,6,0]],\"prize\":[1,2],\"max_length\":9}\n",
        "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1],[2,3]],\"start\":\"b\",\"end\":7,\"ids\":[\"a\",\"b\",7]}\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        struct instance *list = NULL;
        struct text text = { 0 };
        if (!instances_from_json(texts[k], strlen(texts[k]), 1, &list))
            munit_errorf("%s", error_text());
        instance_to_json(&text, &list[0]);
        munit_assert_string_equal(text.data, texts[k]);
        text_finish(&text);
        instance_finish(&list[0]);
        arrfree(list);
    }
    return MUNIT_OK;
}

// Scalars that the table does not have; those that it has, or that the problem does not know, are refused by name.
static MunitResult test_options(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char orders[] = "id,lon,lat,demand\nhub,4.9,45.7,\na,4.8,45.6,7\n",
                      whole[] = "x,y,demand,capacity\n"
                                "1,2,,9\n2,3,4\n",
                      prizes[] = "x,y,prize,penalty\n0,0,,\n1,1,2,1\n";
    struct instance instance;
    const struct mdam_read_options options = { .capacity = 40.5, .vehicles = 5, .open = true };
    munit_assert_true(csv_parse(orders, strlen(orders), &options, &instance));
    munit_assert_true(instance_capacity(&instance) == 40.5 && instance_demand(&instance, 0) == 7);
    munit_assert_true(instance.vehicles == 5 && instance.open && instance.problem == &problem_cvrp);
    instance_finish(&instance);
    const struct mdam_read_options split = { .problem = "sdvrp", .capacity = 3 };
    munit_assert_true(csv_parse(orders, strlen(orders), &split, &instance) && instance.problem == &problem_sdvrp);
    instance_finish(&instance);
    const struct mdam_read_options enough = { .min_prize = 1.5 };
    munit_assert_true(csv_parse(prizes, strlen(prizes), &enough, &instance) && instance.min_prize == 1.5);
    instance_finish(&instance);
    expect_refused(csv_parse(orders, strlen(orders), NULL, &instance), "line 1: capacity is required*");
    expect_refused(csv_parse(whole, strlen(whole), &options, &instance), "capacity: the table *");
    expect_refused(csv_parse(prizes, strlen(prizes), &options, &instance), "capacity: pctsp *");
    return MUNIT_OK;
}

// Tables of spreadsheets: the line that names the separator, and numbers with a comma.
static MunitResult test_spreadsheets(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char *const read[] = { "sep=;\nid;x;y\n7,5;1.5;2\n", "\xEF\xBB\xBFsep=,\r\nx,y\r\n1.5,2\r\n",
        "SEP=\t\nx\ty\n1.5\t2\n" };
    static const struct {
        const char *table, *message;
    } wrong[] = {
        { "x;y\n1,5;2\n", "line 2: \"1,5\" is not a number: numbers need a decimal point" },
        { "x;y;demand;capacity\n0;0;0,0;9\n1;1;2;\n", "line 2: \"0,0\" is not a number: *" },
        { "x,y\n1,\"-2,5\"\n", "line 2: \"-2,5\" is not a number: *" },
        { "sep=x\nx;y\n1;2\n", "line 1: *" },
    };
    struct instance instance;
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        munit_assert_true(csv_parse(read[i], strlen(read[i]), NULL, &instance));
        munit_assert_true(instance.n == 1 && instance.nodes[0].x == 1.5 && instance.nodes[0].y == 2);
        instance_finish(&instance);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_refused(csv_parse(wrong[i].table, strlen(wrong[i].table), NULL, &instance), wrong[i].message);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/spreadsheets", test_spreadsheets),
    TEST("/options", test_options),
    TEST("/ids", test_ids),
    { "/tables", test_tables, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/wrong", test_wrong, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/maps", test_maps, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/variants", test_variants, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/format/csv", tests)
