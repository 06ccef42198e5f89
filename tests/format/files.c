#include "format/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "tests/problem/support.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"

// A file of the given ending with the given text; the caller frees the path.
static char *written(const char *folder, const char *name, const char *text)
{
    char *path = xformat("%s/%s", folder, name);
    munit_assert_true(file_write(path, text, strlen(text)));
    return path;
}

#define JSON "{\"problem\":\"tsp\",\"nodes\":[[0,0],[3,0],[3,4]]}"
#define TSPLIB                                                                                                         \
    "NAME: t\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n3 3 4\nEOF\n"
#define TOUR "NAME: t\nTYPE: TOUR\nDIMENSION: 3\nTOUR_SECTION\n1\n2\n3\n-1\nEOF\n"

static void expect_pair(const char *folder, const char *instance_name, const char *instance_text,
    const char *solution_name, const char *solution_text)
{
    char *instance_path = written(folder, instance_name, instance_text);
    char *solution_path = written(folder, solution_name, solution_text);
    struct instance *instances = NULL;
    struct solution *solutions = NULL;
    if (!instances_read(instance_path, SIZE_MAX, &instances) ||
        !solutions_read(solution_path, instances, 1, &solutions))
        munit_error(error_text());
    struct verdict verdict;
    instances[0].problem->judge(&instances[0], &solutions[0], &verdict);
    munit_assert_true(verdict.feasible);
    munit_assert_double(verdict.objective, ==, 12);
    solution_finish(&solutions[0]);
    instance_finish(&instances[0]);
    arrfree(solutions);
    arrfree(instances);
    unlink(instance_path), unlink(solution_path);
    free(instance_path), free(solution_path);
}

static void expect_unknown(const char *folder, const char *name, const char *text)
{
    char *path = written(folder, name, text);
    struct instance *instances = NULL, instance = instance_of(JSON);
    struct solution *solutions = NULL;
    munit_assert_false(instances_read(path, SIZE_MAX, &instances));
    munit_assert_not_null(strstr(error_text(), "unknown format"));
    munit_assert_false(solutions_read(path, &instance, 1, &solutions));
    munit_assert_not_null(strstr(error_text(), "unknown format"));
    instance_finish(&instance);
    unlink(path);
    free(path);
}

static MunitResult test_unknown(const MunitParameter params[], void *folder)
{
    (void)params;
    expect_unknown(folder, "x.xyz", "id,x,y\n1,0,0\n");
    expect_unknown(folder, "a", "hello\n");
    return MUNIT_OK;
}

// The ending decides, else the text.
static MunitResult test_formats(const MunitParameter params[], void *folder)
{
    (void)params;
    expect_pair(folder, "a.json", JSON, "s.json", "{\"routes\":[[1,2,3]]}");
    expect_pair(folder, "a.JSONL", JSON, "s.tour", TOUR);
    expect_pair(folder, "a.tsp", TSPLIB, "s.sol", "Route #1: 1 2 3\nCost 12\n");
    expect_pair(folder, "a", "\n" JSON, "s", "{\"routes\":[[1,2,3]]}");
    expect_pair(folder, "a", TSPLIB, "s", TOUR);
    expect_pair(folder, "a", TSPLIB, "s", "Route #1: 1 2 3\n");
    expect_pair(folder, "a",
        "TYPE TSP\nDIMENSION 3\nEDGE_WEIGHT_TYPE EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n3 3 4\n", "s",
        "NODE_SEQUENCE_SECTION\n1\n2\n3\n-1\n");
    return MUNIT_OK;
}

static MunitResult test_refused(const MunitParameter params[], void *folder)
{
    (void)params;
    char *path = written(folder, "order.json", "{\"problem\":\"tsp\",\"nodes\":[[0,\"a\"]]}");
    struct instance *instances = NULL;
    char *sentence = xformat("%s: /nodes/0/1: *", path);
    expect_refused(instances_read(path, SIZE_MAX, &instances), sentence);
    free(sentence);
    unlink(path);
    free(path);
    path = written(folder, "order.tsp", " \n{\"problem\":\"tsp\",\"nodes\":[[0,1]]}");
    sentence = xformat("%s: looks like JSON*", path);
    char *absent = xformat("%s: cannot be opened: No such file or directory", path);
    char *ending = xformat("%s: instances are not written in the format of this ending*", path);
    expect_refused(instances_read(path, SIZE_MAX, &instances), sentence);
    unlink(path);
    expect_refused(instances_read(path, SIZE_MAX, &instances), absent);
    expect_refused(instances_write(path, NULL, 0), ending);
    munit_assert_int(access(path, F_OK), !=, 0);
    free(sentence), free(absent), free(ending), free(path);
    return MUNIT_OK;
}

static void *make_folder(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const char *base = getenv("TMPDIR");
    char *folder = xformat("%s/mdam-vk-files-XXXXXX", base ? base : "/tmp");
    munit_assert_not_null(mkdtemp(folder));
    return folder;
}

static void remove_folder(void *folder)
{
    rmdir(folder);
    free(folder);
}

static MunitTest tests[] = {
    { "/formats", test_formats, make_folder, remove_folder, MUNIT_TEST_OPTION_NONE, NULL },
    { "/unknown", test_unknown, make_folder, remove_folder, MUNIT_TEST_OPTION_NONE, NULL },
    { "/refused", test_refused, make_folder, remove_folder, MUNIT_TEST_OPTION_NONE, NULL },
    TEST_END,
};
SUITE("/format/files", tests)
