#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"
#include "mdam/mdam.h"
#include "suite.h"

static const double x[] = { 0, 3, 3 }, y[] = { 4, 0, 4 }, demand[] = { 1.5, 2, 0.5 }, prize[] = { 1, 2, 3 },
                    penalty[] = { 0.1, 0.2, 0.3 };

static const char *const names[] = { "tsp", "cvrp", "sdvrp", "op", "pctsp", "spctsp" };

static struct mdam_instance_data full(const char *problem)
{
    return (struct mdam_instance_data){ sizeof(struct mdam_instance_data), .problem = problem, .name = "small", .n = 3,
        .x = x, .y = y, .demand = demand, .capacity = 4, .prize = prize, .penalty = penalty, .min_prize = 1,
        .max_length = 10 };
}

static MunitResult test_add(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct mdam_instances *list = NULL;
    munit_assert_size(mdam_instances_count(list), ==, 0);
    for (size_t i = 0; i < 6; i++) {
        struct mdam_instance_data instance = full(names[i]);
        munit_assert_true(mdam_instances_add(&list, &instance));
        munit_assert_size(mdam_instances_count(list), ==, i + 1);
        munit_assert_string_equal(mdam_instance_problem(list, i), names[i]);
        munit_assert_string_equal(mdam_instance_name(list, i), "small");
        munit_assert_uint32(mdam_instance_size(list, i), ==, 3);
    }
    mdam_instances_free(&list);
    munit_assert_null(list);
    mdam_instances_free(&list);
    return MUNIT_OK;
}

static void expect_wrong(struct mdam_instance_data instance, const char *sentence)
{
    struct mdam_instances *list = NULL;
    expect_refused(mdam_instances_add(&list, &instance), sentence);
    munit_assert_null(list);
}

static MunitResult test_wrong(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct mdam_instance_data instance = full("vrp");
    expect_wrong(instance, "/problem: *");
    instance = full("cvrp");
    instance.capacity = 1.75;
    expect_wrong(instance, "/demand/1: *");
    instance.demand = NULL;
    expect_wrong(instance, "/demand: missing");
    instance = full("op");
    instance.prize = NULL;
    expect_wrong(instance, "/prize: missing");
    instance = full("tsp");
    instance.x = NULL;
    expect_wrong(instance, "/nodes: is required");
    instance = full("tsp");
    instance.n = 0;
    expect_wrong(instance, "/nodes: *");
    instance = full("spctsp");
    instance.min_prize = NAN;
    expect_wrong(instance, "/min_prize: *");
    return MUNIT_OK;
}

// A caller that was built with an older header has shorter structs: what it does not know is zero.
static MunitResult test_older(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct mdam_instances *list = NULL;
    struct mdam_instance_data instance = full("tsp");
    instance.size = offsetof(struct mdam_instance_data, depot_x);
    munit_assert_true(mdam_instances_add(&list, &instance));
    instance = full("cvrp");
    instance.size = offsetof(struct mdam_instance_data, demand);
    expect_refused(mdam_instances_add(&list, &instance), "/demand: missing");
    instance.size = 0;
    munit_assert_false(mdam_instances_add(&list, &instance));
    munit_assert_int(mdam_error_fault(), ==, MDAM_FAULT_INTERNAL);
    munit_assert_size(mdam_instances_count(list), ==, 1);
    mdam_instances_free(&list);
    return MUNIT_OK;
}

static MunitResult test_parse(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char good[] = "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]]}\n"
                               "{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[0,1]],\"prize\":[1],\"max_length\":3}";
    static const char half[] = "{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1]]}\n{\"problem\":\"tsp\"}";
    struct mdam_instances *list = NULL;
    munit_assert_true(mdam_instances_parse(&list, good, strlen(good)));
    munit_assert_size(mdam_instances_count(list), ==, 2);
    munit_assert_null(mdam_instance_name(list, 0));
    munit_assert_string_equal(mdam_instance_problem(list, 1), "op");
    munit_assert_false(mdam_instances_parse(&list, half, strlen(half)));
    munit_assert_int(mdam_error_fault(), ==, MDAM_FAULT_INPUT);
    munit_assert_size(mdam_instances_count(list), ==, 2); // a list stays as it was
    mdam_instances_free(&list);
    return MUNIT_OK;
}

// Options are refused by name, before the file is opened.
static MunitResult test_read(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct mdam_instances *list = NULL;
    struct mdam_read_options options = { sizeof options, .problem = "vrp" };
    munit_assert_false(mdam_instances_read_with(&list, "none.csv", 1, &options));
    munit_assert_string_equal(mdam_error_field(), "problem");
    options = (struct mdam_read_options){ sizeof options, .capacity = -1 };
    munit_assert_false(mdam_instances_read_with(&list, "none.csv", 1, &options));
    munit_assert_string_equal(mdam_error_field(), "capacity");
    options.capacity = 1;
    munit_assert_false(mdam_instances_read_with(&list, "none.csv", 1, &options));
    munit_assert_not_null(strstr(mdam_error(), "none.csv: "));
    munit_assert_null(list);
    return MUNIT_OK;
}

// Uses an index of a list that has no such element.
static void use_beyond(int call)
{
    struct mdam_instances *list = NULL;
    struct mdam_instance_data instance = full("tsp");
    const char *const *warnings;
    if (call && !mdam_instances_add(&list, &instance))
        return;
    switch (call) {
    case 0:
    case 1:
        mdam_instance_problem(list, 1);
        break;
    case 2:
        mdam_instance_name(list, SIZE_MAX);
        break;
    case 3:
        mdam_instance_size(list, 1);
        break;
    case 4:
        mdam_instance_is_lonlat(list, 1);
        break;
    case 5:
        mdam_instance_warnings(list, 1, &warnings);
        break;
    case 6:
        mdam_instance_text(list, 1, MDAM_FORMAT_JSON);
        break;
    case 7:
        mdam_solution(NULL, 0);
        break;
    case 8:
        mdam_solution_text(NULL, 0, MDAM_FORMAT_JSON);
        break;
    case 9:
        mdam_devices_info(NULL, 0);
        break;
    }
}

static MunitResult test_beyond(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int call = 0; call < 10; call++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            close(STDERR_FILENO);
            use_beyond(call);
            _exit(0);
        }
        munit_assert_int(waitpid(child, &status, 0), ==, child);
        munit_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
    munit_assert_size(mdam_solutions_count(NULL), ==, 0);
    munit_assert_size(mdam_devices_count(NULL), ==, 0);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/beyond", test_beyond),
    TEST("/read", test_read),
    TEST("/add", test_add),
    TEST("/wrong", test_wrong),
    TEST("/older", test_older),
    TEST("/parse", test_parse),
    TEST_END,
};
SUITE("/api/instances", tests)
