#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "format/json.h"
#include "suite.h"
#include "tests/problem/support.h"
#include "util/error.h"

static size_t read_all(const char *json, size_t most, struct instance **instances)
{
    *instances = NULL;
    if (!instances_from_json(json, strlen(json), most, instances))
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
    { "", "there is no instance in it" },
    { " \n \n", "there is no instance in it" },
    { "{\"problem\":\"tsp\"", "line 1 column 16: '}' expected near end of file" },
    { "{\n\"problem\":\"tsp\",\n\"nodes\":[[0,NaN]]}", "line 3 column 15: invalid token near 'NaN'" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,-Infinity]]}", "line 1 column 30: invalid token near '-'" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,1e999]]}", "line 1 column 34: real number overflow near '1e999'" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,99999999999999999999]]}",
        "line 1 column 49: too big integer near '99999999999999999999'" },
    { "{\"problem\":\"tsp\",\"name\":\"a\\u0000b\",\"nodes\":[[0,0]]}",
        "line 1 column 34: a string contains a zero byte" },
    { "{\"problem\":\"tsp\",\"problem\":\"tsp\",\"nodes\":[[0,0]]}",
        "line 1 column 26: duplicate object key near '\"problem\"'" },
    { "{\"problem\":\"tsp\",\"name\":\"\xff\",\"nodes\":[[0,0]]}",
        "line 1 column 25: unable to decode byte 0xff near '\"'" },
    { "7", "line 1 column 1: '[' or '{' expected near '7'" },
    { TSP TSP, "line 1: something follows the value that ends here" },
    { TSP "\n" TSP " x", "line 2: something follows the value that ends here" },
    { "{\"problem\":\"tsp\",\n\"nodes\":[[0,0]]}\n" TSP,
        "line 3: something follows the value of lines 1 to 2; of several, each is one line" },
    { TSP "\n{\"problem\":\"tsp\",\n\"nodes\":[[0,0]]}", "line 2 column 17: string or '}' expected near end of file" },
    // Not an instance
    { "[" TSP "]",
        "an array instead of an instance object; a list is {\"instances\": [..]}, or an object on every line" },
    { "{}", "/problem: nothing instead of a problem's name" },
    { "{\"problem\":7}", "/problem: a number instead of a problem's name" },
    { "{\"problem\":\"vrp\"}", "/problem: \"vrp\" is not one of tsp, cvrp, sdvrp, op, pctsp, spctsp" },
    { "{\"problem\":\"tsp\"}", "/nodes: nothing instead of an array" },
    { "{\"problem\":\"tsp\",\"nodes\":{}}", "/nodes: an object instead of an array" },
    { "{\"problem\":\"tsp\",\"nodes\":[]}", "/nodes: there are no nodes" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0]],\"a/b~c\":1}", "/a~1b~0c: unknown key" },
    { "{\"problem\":\"tsp\",\"node\":[[0,0]]}", "/node: unknown key; did you mean nodes?" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0]],\"name\":null}", "/name: null instead of a string" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0]],\"depot\":[0,0]}", "/depot: tsp has no depot" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0]],\"demand\":[1]}", "/demand: tsp has no demand" },
    { "{\"problem\":\"pctsp\",\"nodes\":[[0,0]],\"real_prize\":[1]}", "/real_prize: pctsp has no real_prize" },
    { "{\"instances\":[]}", "/instances: there are no instances" },
    { "{\"instances\":7}", "/instances: a number instead of an array" },
    { "{\"instances\":[" TSP "],\"name\":\"a\"}", "/instances: other keys stand beside it" },
    // Points
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[0]]}", "/nodes/1: 1 value instead of [x, y]" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[0,\"1\"]]}", "/nodes/1/1: a string instead of a number" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],7]}", "/nodes/1: a number instead of [x, y]" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[0,1e101]]}", "/nodes/1: the coordinate 1e+101 is beyond 1e+100" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],{\"x\":0,\"y\":1}]}", "/nodes/1: an object among nodes that are arrays" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"x\":0,\"y\":1},[0,0]]}", "/nodes/1: an array among nodes that are objects" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"x\":0}]}", "/nodes/0/y: missing" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"x\":0,\"y\":true}]}", "/nodes/0/y: true instead of a number" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"x\":0,\"y\":0,\"z\":0}]}", "/nodes/0/z: unknown key" },
    { "{\"problem\":\"cvrp\",\"depot\":[1,1],\"nodes\":[{\"x\":0,\"y\":0,\"demands\":1}]}",
        "/nodes/0/demands: unknown key; did you mean demand?" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"lat\":48,\"lon\":2}]}",
        "/nodes/0/lat: unknown key; places are x and y on a plane: in kilometres, from degrees, x = 111.3 * longitude "
        "* "
        "cos(latitude in the middle), y = 111.3 * latitude" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"x\":0,\"y\":0,\"demand\":0}]}", "/nodes/0/demand: tsp has no demand" },
    { "{\"problem\":\"cvrp\",\"nodes\":[[1,2]],\"demand\":[1],\"capacity\":1}", "/depot: missing" },
    { "{\"problem\":\"cvrp\",\"depot\":[1],\"nodes\":[[1,2]],\"demand\":[1],\"capacity\":1}",
        "/depot: 1 value instead of [x, y]" },
    { "{\"problem\":\"cvrp\",\"depot\":{\"x\":1,\"y\":1,\"demand\":1},\"nodes\":[[1,2]],\"demand\":[1],"
      "\"capacity\":1}",
        "/depot/demand: unknown key" },
    { "{\"problem\":\"cvrp\",\"depot\":[1,1e300],\"nodes\":[[1,2]],\"demand\":[1],\"capacity\":1}",
        "/depot: the coordinate 1e+300 is beyond 1e+100" },
    // Columns
    { "{" VRP ",\"capacity\":1}", "/demand: missing" },
    { "{" VRP ",\"demand\":[1,1]}", "/capacity: missing" },
    { "{" VRP ",\"demand\":7,\"capacity\":1}", "/demand: a number instead of an array" },
    { "{" VRP ",\"demand\":[1,2,3],\"capacity\":1}", "/demand: 3 values for 2 nodes" },
    { "{" VRP ",\"demand\":[1,null],\"capacity\":1}", "/demand/1: null instead of a number" },
    { "{" VRP ",\"demand\":[1,45],\"capacity\":30}", "/demand/1: 45 exceeds the capacity 30" },
    { "{" VRP ",\"demand\":[1,-4],\"capacity\":30}", "/demand/1: -4 is negative" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":0}", "/capacity: 0 is not positive" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":\"9\"}", "/capacity: a string instead of a number" },
    { "{" VRP ",\"demand\":[1,1e300],\"capacity\":9}", "/demand/1: 1e+300 is beyond 1e+100" },
    { "{" VRP ",\"demand\":[1,9.3333333333333331],\"capacity\":9}",
        "/demand/1: 9.33333333333333 exceeds the capacity 9" },
    { "{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[{\"x\":0,\"y\":0}],\"capacity\":1}",
        "/nodes/0/demand: missing" },
    { "{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[{\"x\":0,\"y\":0}],\"demand\":[1],\"capacity\":1}",
        "/demand: nodes that are objects hold this themselves" },
    { "{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[{\"x\":0,\"y\":0,\"demand\":2}],\"capacity\":1}",
        "/nodes/0/demand: 2 exceeds the capacity 1" },
    { "{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[1,2]],\"prize\":[1]}", "/max_length: missing" },
    { "{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[1,2]],\"prize\":[-1],\"max_length\":1}",
        "/prize/0: -1 is negative or not a number" },
    { "{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[1,2]],\"prize\":[1],\"max_length\":-1}",
        "/max_length: -1 is negative or not a number" },
    { "{\"problem\":\"pctsp\",\"depot\":[0,0],\"nodes\":[[1,2]],\"prize\":[1],\"penalty\":[1e200]}",
        "/penalty/0: 1e+200 is beyond 1e+100" },
    { "{\"problem\":\"sdvrp\",\"depot\":[0,0],\"nodes\":[[1,2]],\"demand\":[2000000000],\"capacity\":1}",
        "/demand/0: the demands up to here fill more than 1000000 vehicles" },
    // Labels
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]],\"ids\":[\"a\"]}", "/ids: 1 value for 2 nodes" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]],\"ids\":[\"a\",1.5]}",
        "/ids/1: a number instead of a string or an integer" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]],\"ids\":[\"a\",\"\"]}", "/ids/1: an empty id" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]],\"ids\":[\"a\",\"a\"]}", "/ids/1: a is /ids/0 already" },
    { "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]],\"ids\":[5,5]}", "/ids/1: 5 is /ids/0 already" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"id\":1,\"x\":0,\"y\":0},{\"x\":0,\"y\":0}]}", "/nodes/1/id: missing" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"id\":1,\"x\":0,\"y\":0},{\"id\":1,\"x\":0,\"y\":0}]}",
        "/nodes/1/id: 1 is /nodes/0/id already" },
    { "{\"problem\":\"tsp\",\"nodes\":[{\"x\":0,\"y\":0},{\"id\":1,\"x\":0,\"y\":0}]}",
        "/nodes/1/id: /nodes/0 has none, so none may have one" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":1,\"ids\":[4,5],\"depot_id\":5}", "/depot_id: 5 is /ids/1 already" },
    { "{" VRP ",\"demand\":[1,1],\"capacity\":1,\"depot_id\":[]}",
        "/depot_id: an array instead of a string or an integer" },
    // Several
    { "{\"instances\":[" TSP ",{\"problem\":\"tsp\",\"nodes\":[[0,0],[0,null]]}]}",
        "/instances/1/nodes/1/1: null instead of a number" },
    { "{\"instances\":[" TSP ",7]}", "/instances/1: a number instead of an instance object" },
    { TSP "\n\n{" VRP ",\"demand\":[1,45],\"capacity\":30}\n", "line 3: /demand/1: 45 exceeds the capacity 30" },
    { TSP "\n{\"instances\":[{" VRP ",\"demand\":[1,45],\"capacity\":30}]}\n",
        "line 2: /instances/0/demand/1: 45 exceeds the capacity 30" },
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

// A short text of many values ends in a sentence, not in swapping; what a nesting of a hundred thousand brackets asks
// for is refused by depth.
static MunitResult test_bounded(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct text text = { 0 };
    struct instance *instances = NULL;
    for (int i = 0; i < 100000; i++)
        text_add(&text, "[");
    expect_refused(instances_from_json(text.data, text.size, SIZE_MAX, &instances),
        "line 1 column 2049: maximum parsing depth reached near '['");
    text.size = 0;
    text_add(&text, "{\"instances\":[");
    for (int i = 0; i < 3500000; i++)
        text_add(&text, "{},");
    expect_refused(instances_from_json(text.data, text.size, SIZE_MAX, &instances),
        "line 1: more than 512 MiB of values; write one instance per line instead");
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
