#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "format/files.h"
#include "format/kool.h"
#include "suite.h"
#include "tests/problem/support.h"

// Instances as readers of other formats pass them on: locations are names, and nothing is checked yet.
static const char cvrp[] = "{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[[1,0],[2,5],[3,0],[4,0]],"
                           "\"demand\":[1,2,3,4],\"capacity\":9,\"ids\":[10,20,30,40]}";
static const char op[] =
    "{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[1,0],[2,5]],\"prize\":[1,2],\"max_length\":9}";

static void refuse_of(const char *json, void (*spoil)(struct instance *), const char *sentence)
{
    struct instance instance = instance_of(json);
    instance.layout = LAYOUT_NAMES;
    spoil(&instance);
    expect_refused(instance_check(&instance), sentence);
    instance_finish(&instance);
}

static void refuse(void (*spoil)(struct instance *), const char *sentence)
{
    refuse_of(cvrp, spoil, sentence);
}

static void infinite_node(struct instance *instance)
{
    instance->nodes[1].y = INFINITY;
}

static void nan_depot(struct instance *instance)
{
    instance->depot.x = NAN;
}

static void negative_demand(struct instance *instance)
{
    instance->demand[2] = INT64_MIN;
}

static void large_demand(struct instance *instance)
{
    instance->demand[3] = INT64_MAX;
}

static void no_capacity(struct instance *instance)
{
    instance->capacity = 0;
}

static void many_levels(struct instance *instance)
{
    instance->capacity = DEMAND_MAX - 1;
}

static void nan_limit(struct instance *instance)
{
    instance->max_length = NAN;
}

static void doubled_id(struct instance *instance)
{
    instance->ids[3].number = 20;
}

static void depot_like_node(struct instance *instance)
{
    instance->has_depot_id = true;
    instance->depot_id.number = 30;
}

static MunitResult test_refused(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    refuse(infinite_node, "coordinates of node 20: *");
    refuse(nan_depot, "depot: *");
    refuse(negative_demand, "demand of node 30: *");
    refuse(large_demand, "demand of node 40: *");
    refuse(no_capacity, "capacity: *");
    refuse(many_levels, "capacity: *");
    refuse_of(op, nan_limit, "max_length: *");
    refuse(doubled_id, "id of node 20: *");
    refuse(depot_like_node, "depot_id: *");
    return MUNIT_OK;
}

// Beyond a matrix's size the network sees degrees on a plane only.
static MunitResult test_many_degrees(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (uint32_t n = INSTANCE_DISTANCES_MAX; n <= INSTANCE_DISTANCES_MAX + 1; n++) {
        struct instance instance;
        instance_init(&instance, &problem_tsp, n);
        instance.coordinates = COORDINATES_LONLAT;
        for (uint32_t i = 0; i < n; i++)
            instance.nodes[i] = (struct point){ 0.01 * (i % 50), 0.01 * (i / 50.0) };
        munit_assert_true(instance_check(&instance));
        munit_assert_size(arrlenu(instance.warnings), ==, n > INSTANCE_DISTANCES_MAX);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

static MunitResult test_warnings(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
#define TSP(nodes) "{\"problem\":\"tsp\",\"nodes\":[" nodes "]}"
    expect_warnings(TSP("[1,0],[2,5],[3,0],[4,0]"), (const char *const[]){ NULL });
    expect_warnings(TSP("[1,0]"), (const char *const[]){ "only 1 node", NULL });
    expect_warnings(TSP("[1,0],[2,5]"), (const char *const[]){ "only 2 nodes", NULL });
    expect_warnings(
        TSP("[1,3],[1,3],[1,3],[1,3]"), (const char *const[]){ "all nodes have the same coordinates", NULL });
    expect_warnings(TSP("[1,3],[2,6],[3,9],[0.1,0.3]"), (const char *const[]){ "all nodes are on a line", NULL });
    expect_warnings(TSP("[1,3],[1,6],[1,-9],[1,0.3]"), (const char *const[]){ "all nodes are on a line", NULL });
    expect_warnings(TSP("[1,3],[1,6],[1,-9],[1.001,0.3]"), (const char *const[]){ NULL });
    expect_warnings(TSP("[0,0],[1e30,0],[0,1e30],[1e30,1e30]"),
        (const char *const[]){ "coordinates span 1e+30; they are scaled to the unit square", NULL });
    expect_warnings(TSP("[0,0],[1e-30,0],[2e-30,0],[3e-30,0]"),
        (const char *const[]){
            "coordinates span 3e-30; they are scaled to the unit square", "all nodes are on a line", NULL });
    expect_warnings("{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[1,1],[2,2],[3,3],[4,5]],\"prize\":[1,1,1,1],"
                    "\"max_length\":100}",
        (const char *const[]){ NULL });
    expect_warnings("{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[1,1],[2,2],[3,3],[4,4]],\"prize\":[1,1,1,1],"
                    "\"max_length\":100}",
        (const char *const[]){ "all nodes are on a line", NULL });
#define CROWD "[1,1],[2,1],[1,3],[4,4],[5,2]"
    const char far[] = "1 of 6 nodes is so far away that the model can hardly distinguish the others";
    expect_warnings(TSP(CROWD ",[-400,90]"), (const char *const[]){ far, NULL });
    expect_warnings(TSP(CROWD ",[100,90]"), (const char *const[]){ NULL });
    expect_warnings(TSP(CROWD ",[-400,90],[400,90]"), (const char *const[]){ NULL });
    expect_warnings("{\"problem\":\"op\",\"depot\":[2000,500],\"nodes\":[" CROWD "],\"prize\":[1,1,1,1,1],"
                    "\"max_length\":10000}",
        (const char *const[]){ NULL }); // a far depot does no harm
    expect_warnings("{\"problem\":\"op\",\"depot\":[2e20,500],\"nodes\":[" CROWD "],\"prize\":[1,1,1,1,1],"
                    "\"max_length\":1e21}",
        (const char *const[]){
            "coordinates span 2e+20; they are scaled to the unit square", "all nodes are on a line", far, NULL });
    return MUNIT_OK;
}

// Fails the test if the instance looks like degrees, also if its format did not exclude them.
static void expect_plane(struct instance *instance, const char *name)
{
    enum metric metric = instance->metric;
    for (int k = 0; k < 2; k++) {
        instance->metric = k ? METRIC_EUCLID : metric;
        munit_assert_true(instance_check(instance));
    }
    for (ptrdiff_t i = 0; i < arrlen(instance->warnings); i++) {
        if (strstr(instance->warnings[i], "look like degrees"))
            munit_errorf("%s: %s", name, instance->warnings[i]);
    }
}

static void expect_file_plane(const char *path)
{
    struct instance *list = NULL;
    munit_assert_true(instances_read(path, SIZE_MAX, &list));
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        expect_plane(&list[i], path);
        instance_finish(&list[i]);
    }
    arrfree(list);
}

static MunitResult test_degrees(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const char degrees[] = "the coordinates look like degrees and are used as x and y on a plane; with "
                           "\"coordinates\": \"lonlat\" lengths are kilometres";
    const char *const warned[] = { degrees, NULL }, *const silent[] = { NULL };
    expect_warnings(TSP("[52.5163,13.3777],[52.5186,13.3761],[52.5208,13.4094],[52.5,13.4]"), warned);
    expect_warnings(TSP("[-0.1276,51.5072],[0.0005,51.4779],[-0.1419,51.5014],[-0.0759,51.5081]"), warned);
    expect_warnings(TSP("[174.7633,-36.8485],[175.2793,-37.787],[176.1654,-37.6878],[176.2497,-38.1368]"), warned);
    expect_warnings(TSP("[181.7633,-36.8485],[175.2793,-37.787],[176.1654,-37.6878],[176.2497,-38.1368]"), silent);
    expect_warnings(TSP("[174.7633,96.8485],[175.2793,97.787],[176.1654,97.6878],[176.2497,98.1368]"), silent);
    expect_warnings(TSP("[52.5163,13.3777],[52.5186,13.3761],[52.5208,13.4094],[52.5,33.4]"), silent); // 20 apart
    expect_warnings(TSP("[52.516,13.378],[52.519,13.3761],[52.5208,13.4094],[52.5,13.4]"), silent);    // decimals
    expect_warnings(TSP("[0.5163,0.3777],[0.5186,0.3761],[0.5208,0.4094],[0.5012,0.4]"), silent);
    static const char *const files[] = { "att48.tsp", "eil51.tsp", "ulysses16.tsp", "E-n22-k4.vrp",
        "berlin52-gen1-50.oplib", "several.jsonl", "tsp.json", "cvrp.json", "sdvrp.json", "op.json", "pctsp.json",
        "spctsp.json" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", FIXTURES, files[i]);
        expect_file_plane(path);
    }
    static const char *const examples[] = { "batch.jsonl", "berlin52.tsp", "capitals.json", "cvrp.json", "op.json",
        "paris.json", "pctsp.json", "sdvrp.json", "spctsp.json", "tsp.json" };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/../../../examples/%s", FIXTURES, examples[i]);
        struct stat status;
        munit_assert_true(!lstat(path, &status) && S_ISREG(status.st_mode)); // the folder can be copied
        expect_file_plane(path);
    }
    for (const struct problem *const *problem = problems; *problem; problem++) {
        struct distribution distribution = { 20, 20, 0, 0, PRIZE_DIST };
        struct kool kool;
        kool_init(&kool, *problem, &distribution, 100, 1234);
        for (uint32_t i = 0; i < 100; i++) {
            struct instance instance;
            kool_next(&kool, &instance);
            expect_plane(&instance, "published");
            instance_finish(&instance);
            (*problem)->generate(&instance, &distribution, 7, i);
            expect_plane(&instance, "generated");
            instance_finish(&instance);
        }
    }
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/many-degrees", test_many_degrees),
    TEST("/refused", test_refused),
    TEST("/warnings", test_warnings),
    TEST("/degrees", test_degrees),
    TEST_END,
};
SUITE("/problem/check", tests)
