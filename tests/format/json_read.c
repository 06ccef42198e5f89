#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "format/json.h"
#include "suite.h"
#include "tests/problem/support.h"
#include "util/error.h"

static size_t read_all(const char *json, size_t max_count, struct instance **instances)
{
    *instances = NULL;
    if (!instances_from_json(json, strlen(json), max_count, instances))
        munit_errorf("%s\n  %s", json, error_text());
    return arrlenu(*instances);
}

static void finish_all(struct instance *instances)
{
    for (ptrdiff_t i = 0; i < arrlen(instances); i++)
        instance_finish(&instances[i]);
    arrfree(instances);
}

#define TSP "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]]}"

static MunitResult test_several(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *json;
        size_t count;
    } cases[] = {
        { TSP, 1 },
        { "\xEF\xBB\xBF \n" TSP "\r\n", 1 },
        { "{\"problem\":\n\"tsp\",\n\"nodes\":\n[[0,0]]\n}\n", 1 },
        { TSP "\n" TSP "\r\n\n" TSP, 3 },
        { "{\"instances\":[" TSP "]}", 1 },
        { "{\"instances\":[" TSP "," TSP "]}\n{\"instances\":[" TSP "]}\n" TSP "\n", 4 },
    };
    struct instance *instances;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        munit_assert_size(read_all(cases[k].json, SIZE_MAX, &instances), ==, cases[k].count);
        finish_all(instances);
    }
    munit_assert_size(read_all(TSP "\n" TSP "\nnot read", 2, &instances), ==, 2);
    finish_all(instances);
    munit_assert_size(read_all("{\"instances\":[" TSP "," TSP "]}", 1, &instances), ==, 1);
    finish_all(instances);
    return MUNIT_OK;
}

// Both forms of nodes give the same instance.
static MunitResult test_forms(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance a = instance_of("{\"problem\":\"spctsp\",\"name\":\"x\",\"depot\":[0.5,1],\"nodes\":[[1,2],[3,4]],"
                                    "\"prize\":[5,6],\"real_prize\":[7,8],\"penalty\":[9,10],\"ids\":[\"p\",7],"
                                    "\"depot_id\":\"d\",\"min_prize\":3}");
    struct instance b = instance_of(
        "{\"min_prize\":3.0,\"nodes\":[{\"id\":\"p\",\"penalty\":9,\"y\":2,\"x\":1,\"prize\":5,\"real_prize\":7},"
        "{\"x\":3,\"y\":4,\"prize\":6,\"penalty\":10,\"real_prize\":8,\"id\":7}],\"name\":\"x\","
        "\"depot\":{\"id\":\"d\",\"x\":0.5,\"y\":1},\"problem\":\"spctsp\"}");
    struct text text_a = { 0 }, text_b = { 0 };
    instance_to_json(&text_a, &a);
    instance_to_json(&text_b, &b);
    munit_assert_string_equal(text_a.data, text_b.data);
    munit_assert_int(a.layout, ==, LAYOUT_COLUMNS);
    munit_assert_int(b.layout, ==, LAYOUT_OBJECTS);
    text_finish(&text_a);
    text_finish(&text_b);
    instance_finish(&a);
    instance_finish(&b);
    return MUNIT_OK;
}

static MunitResult test_defaults(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance = instance_of("{\"problem\":\"spctsp\",\"depot\":[0,0],\"nodes\":[[1,2]],\"prize\":[5],"
                                           "\"penalty\":[1]}");
    munit_assert_double(instance.min_prize, ==, 1);
    munit_assert_double(instance.real_prize[0], ==, 5);
    munit_assert_null(instance.name);
    munit_assert_null(instance.ids);
    munit_assert_false(instance.has_depot_id);
    instance_finish(&instance);
    return MUNIT_OK;
}

#define VRP "\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[[1,2],[3,4]]"

static const struct {
    const char *json, *sentence;
} refused[] = {
    // Not JSON
    { "", "has no instances" },
    { " \n \n", "has no instances" },
    { "{\"problem\":\"tsp\"", "line 1 column 16: *" },
    { "{\n\"problem\":\"tsp\",\n\"nodes\":[[0,NaN]]}", "line 3 column 15: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,-Infinity]]}", "line 1 column 30: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,1e999]]}", "line 1 column 34: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,99999999999999999999]]}", "line 1 column 49: *" },
    { "{\"problem\":\"tsp\",\"name\":\"a\\u0000b\",\"nodes\":[[0,0]]}", "line 1 column 34: *" },
    { "{\"problem\":\"tsp\",\"problem\":\"tsp\",\"nodes\":[[0,0]]}", "line 1 column 26: *" },
    { "{\"problem\":\"tsp\",\"name\":\"\xff\",\"nodes\":[[0,0]]}", "line 1 column 25: *" },
    { "7", "line 1 column 1: *" },
    { TSP TSP, "line 1: *" },
    { TSP "\n" TSP " x", "line 2: *" },
    { "{\"problem\":\"tsp\",\n\"nodes\":[[0,0]]}\n" TSP, "line 3: *" },
    { TSP "\n{\"problem\":\"tsp\",\n\"nodes\":[[0,0]]}", "line 2 column 17: *" },
    // Not an instance
    { "[" TSP "]",
        "must be an instance object, not an array; write a list as {\"instances\": [..]}, or one object per line" },
    { "{}", "/problem: *" },
    { "{\"problem\":7}", "/problem: *" },
    { "{\"problem\":\"vrp\"}", "/problem: *" },
    { "{\"problem\":\"tsp\"}", "/nodes: *" },
    { "{\"problem\":\"tsp\",\"nodes\":{}}", "/nodes: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[]}", "/nodes: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0]],\"a/b~c\":1}", "/a~1b~0c: *" },
    { "{\"problem\":\"tsp\",\"node\":[[0,0]]}", "/node: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0]],\"name\":null}", "/name: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0]],\"depot\":[0,0]}", "/depot: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0]],\"demand\":[1]}", "/demand: *" },
    { "{\"problem\":\"pctsp\",\"nodes\":[[0,0]],\"real_prize\":[1]}", "/real_prize: *" },
    { "{\"instances\":[]}", "/instances: *" },
    { "{\"instances\":7}", "/instances: *" },
    { "{\"instances\":[" TSP "],\"name\":\"a\"}", "/instances: *" },
    // Points
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[0]]}", "/nodes/1: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[0,\"1\"]]}", "/nodes/1/1: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],7]}", "/nodes/1: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[0,1e101]]}", "/nodes/1: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],{\"x\":0,\"y\":1}]}", "/nodes/1: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"x\":0,\"y\":1},[0,0]]}", "/nodes/1: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"x\":0}]}", "/nodes/0/y: missing" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"x\":0,\"y\":true}]}", "/nodes/0/y: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"x\":0,\"y\":0,\"z\":0}]}", "/nodes/0/z: *" },
    { "{\"problem\":\"cvrp\",\"depot\":[1,1],\"nodes\":[{\"x\":0,\"y\":0,\"demands\":1}]}", "/nodes/0/demands: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"lat\":48,\"lon\":2}]}", "/nodes/0/lat: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"x\":0,\"y\":0,\"demand\":0}]}", "/nodes/0/demand: *" },
    { "{\"problem\":\"cvrp\",\"nodes\":[[1,2]],\"demand\":[1],\"capacity\":1}", "/depot: missing" },
    { "{\"problem\":\"cvrp\",\"depot\":[1],\"nodes\":[[1,2]],\"demand\":[1],\"capacity\":1}", "/depot: *" },
    { "{\"problem\":\"cvrp\",\"depot\":{\"x\":1,\"y\":1,\"demand\":1},\"nodes\":[[1,2]],\"demand\":[1],"
      "\"capacity\":1}",
        "/depot/demand: *" },
    { "{\"problem\":\"cvrp\",\"depot\":[1,1e300],\"nodes\":[[1,2]],\"demand\":[1],\"capacity\":1}", "/depot: *" },
    // Columns
    { "{" VRP ",\"capacity\":1}", "/demand: missing" },
    { "{" VRP ",\"demand\":[1,1]}", "/capacity: missing" },
    { "{" VRP ",\"demand\":7,\"capacity\":1}", "/demand: *" },
    { "{" VRP ",\"demand\":[1,2,3],\"capacity\":1}", "/demand: *" },
    { "{" VRP ",\"demand\":[1,null],\"capacity\":1}", "/demand/1: *" },
    { "{" VRP ",\"demand\":[1,45],\"capacity\":30}", "/demand/1: *" },
    { "{" VRP ",\"demand\":[1,-4],\"capacity\":30}", "/demand/1: *" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":0}", "/capacity: *" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":\"9\"}", "/capacity: *" },
    { "{" VRP ",\"demand\":[1,1e300],\"capacity\":9}", "/demand/1: *" },
    { "{" VRP ",\"demand\":[1,9.3333333333333331],\"capacity\":9}", "/demand/1: *" },
    { "{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[{\"x\":0,\"y\":0}],\"capacity\":1}",
        "/nodes/0/demand: missing" },
    { "{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[{\"x\":0,\"y\":0}],\"demand\":[1],\"capacity\":1}",
        "/demand: *" },
    { "{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[{\"x\":0,\"y\":0,\"demand\":2}],\"capacity\":1}",
        "/nodes/0/demand: *" },
    { "{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[1,2]],\"prize\":[1]}", "/max_length: missing" },
    { "{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[1,2]],\"prize\":[-1],\"max_length\":1}", "/prize/0: *" },
    { "{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[1,2]],\"prize\":[1],\"max_length\":-1}", "/max_length: *" },
    { "{\"problem\":\"pctsp\",\"depot\":[0,0],\"nodes\":[[1,2]],\"prize\":[1],\"penalty\":[1e200]}", "/penalty/0: *" },
    { "{\"problem\":\"sdvrp\",\"depot\":[0,0],\"nodes\":[[1,2]],\"demand\":[2000000000],\"capacity\":1}",
        "/demand/0: *" },
    // Lengths, vehicles, ends
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0]],\"coordinates\":\"polar\"}",
        "/coordinates: neither \"plane\" nor \"lonlat\"" },
    { "{\"problem\":\"tsp\",\"coordinates\":\"lonlat\",\"nodes\":[[0,0],[48,98]]}",
        "/nodes/1: [48, 98] is no longitude from -180 to 180 with a latitude from -90 to 90" },
    { "{\"problem\":\"tsp\",\"distances\":[[0,1],[1]]}", "/distances/1: 1 number for 2 nodes" },
    { "{\"problem\":\"tsp\",\"distances\":[[0,1],1]}", "/distances/1: a number instead of an array of 2 numbers" },
    { "{\"problem\":\"tsp\",\"distances\":[[0,1],[-1,0]]}", "/distances/1/0: -1 is negative" },
    { "{\"problem\":\"tsp\",\"distances\":[[0,1],[\"1\",0]]}", "/distances/1/0: a string instead of a number" },
    { "{\"problem\":\"tsp\",\"distances\":[]}", "/distances: there are no nodes" },
    { "{\"problem\":\"tsp\",\"distances\":[[0]],\"coordinates\":\"lonlat\"}", "/coordinates: nodes have none" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":9,\"distances\":[[0,1],[1,0]]}",
        "/distances: 2 rows for 3 nodes, the depot included" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":9,\"open\":1}", "/open: a number instead of true or false" },
    { "{" VRP ",\"demand\":[7,7],\"capacity\":9,\"vehicles\":1}",
        "/vehicles: 1 cannot carry all demands; at least 2 are needed" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":9,\"vehicles\":0}", "/vehicles: 0 is not a whole number from 1 up" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":9,\"vehicles\":1.5}", "/vehicles: 1.5 is not a whole number from 1 up" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0]],\"vehicles\":1}", "/vehicles: tsp has no vehicles" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0]],\"start\":2}", "/start: there is no node 2" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]],\"ids\":[\"a\",\"b\"],\"end\":\"c\"}",
        "/end: no node has the id \"c\"" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]],\"open\":true,\"start\":1,\"end\":1}",
        "/end: an open path does not end where it starts" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":9,\"time_windows\":[]}",
        "/time_windows: time windows are not supported" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":9,\"skills\":[]}", "/skills: skills are not supported" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":9,\"depots\":[]}", "/depots: several depots are not supported" },
    // Labels
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]],\"ids\":[\"a\"]}", "/ids: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]],\"ids\":[\"a\",1.5]}", "/ids/1: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]],\"ids\":[\"a\",\"\"]}", "/ids/1: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]],\"ids\":[\"a\",\"a\"]}", "/ids/1: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]],\"ids\":[5,5]}", "/ids/1: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"id\":1,\"x\":0,\"y\":0},{\"x\":0,\"y\":0}]}", "/nodes/1/id: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"id\":1,\"x\":0,\"y\":0},{\"id\":1,\"x\":0,\"y\":0}]}", "/nodes/1/id: *" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"x\":0,\"y\":0},{\"id\":1,\"x\":0,\"y\":0}]}", "/nodes/1/id: *" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":1,\"ids\":[4,5],\"depot_id\":5}", "/depot_id: *" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":1,\"depot_id\":[]}", "/depot_id: *" },
    // Several
    { "{\"instances\":[" TSP ",{\"problem\":\"tsp\",\"nodes\":[[0,0],[0,null]]}]}", "/instances/1/nodes/1/1: *" },
    { "{\"instances\":[" TSP ",7]}", "/instances/1: *" },
    { TSP "\n\n{" VRP ",\"demand\":[1,45],\"capacity\":30}\n", "line 3: /demand/1: *" },
    { TSP "\n{\"instances\":[{" VRP ",\"demand\":[1,45],\"capacity\":30}]}\n", "line 2: /instances/0/demand/1: *" },
};

static MunitResult test_refused(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        struct instance *instances = NULL;
        bool ok = instances_from_json(refused[k].json, strlen(refused[k].json), SIZE_MAX, &instances);
        if (ok)
            munit_errorf("read: %s", refused[k].json);
        expect_refused(ok, refused[k].sentence);
        finish_all(instances);
    }
    return MUNIT_OK;
}

// A short text that stands for many values is refused, not swapped; a hundred thousand nested brackets are refused by
// their depth.
static MunitResult test_bounded(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct text text = { 0 };
    struct instance *instances = NULL;
    for (int i = 0; i < 100000; i++)
        text_add(&text, "[");
    expect_refused(instances_from_json(text.data, text.size, SIZE_MAX, &instances), "line 1 column 2049: *");
    text.size = 0;
    text_add(&text, "{\"instances\":[");
    for (int i = 0; i < 3500000; i++)
        text_add(&text, "{},");
    expect_refused(instances_from_json(text.data, text.size, SIZE_MAX, &instances), "line 1: *");
    text_finish(&text);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/several", test_several),
    TEST("/forms", test_forms),
    TEST("/defaults", test_defaults),
    TEST("/refused", test_refused),
    TEST("/bounded", test_bounded),
    TEST_END,
};
SUITE("/format/json_read", tests)
