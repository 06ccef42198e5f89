// Parts of plans: solved and put back, the whole changes by what the part does, and never for the worse.
#include "search/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "improve/improve.h"
#include "suite.h"
#include "tests/search/support.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"

enum { CUSTOMERS = 60, SIZE = 16, ROUNDS = 4, MAX_PARTS = 3 };

static struct model *trained(struct gpu *gpu, const struct problem *problem)
{
    struct model *model = search_model(gpu, problem, 2, 4, DIALECT_NATIVE);
    model->config.trained = (struct distribution){ .n_min = 5, .n_max = SIZE };
    return model;
}

static void generate(struct instance *instance, const struct problem *problem, uint32_t index)
{
    problem->generate(instance, &(struct distribution){ CUSTOMERS, CUSTOMERS, 20, 20, PRIZE_UNIF }, 5, index);
    instance->metric = index % 2 ? METRIC_EUC_2D : METRIC_EUCLID;
    for (uint32_t i = 0; index % 2 && i < CUSTOMERS; i++) {
        instance->nodes[i].x *= 1000;
        instance->nodes[i].y *= 1000;
    }
}

// A feasible plan that is easily improved: customers as they come, as many on a route as it holds.
static struct solution plain_plan(const struct instance *instance)
{
    struct solution plan = { 0 };
    struct route route = { 0 };
    int64_t load = 0;
    for (uint32_t i = 0; i < instance->n; i++) {
        if (instance->demand && load + instance->demand[i] > instance->capacity) {
            arrput(plan.routes, route);
            route = (struct route){ 0 };
            load = 0;
        }
        arrput(route.stops, i + 1);
        load += instance->demand ? instance->demand[i] : 0;
    }
    arrput(plan.routes, route);
    if (instance->problem->splits)
        solution_deliver(instance, &plan);
    return plan;
}

static struct verdict judged(const struct instance *instance, const struct solution *solution)
{
    struct verdict verdict;
    instance->problem->judge(instance, solution, &verdict);
    if (!verdict.feasible)
        munit_errorf("%s: %s", instance->problem->name, verdict.violation);
    return verdict;
}

// Returns the plan's routes over the part's customers, in the part's numbers.
static struct solution cut_out(const struct plan_part *part, const struct instance *whole, const struct solution *plan)
{
    struct solution own = { 0 };
    uint32_t *index = xcalloc(whole->n + 1, sizeof *index);
    for (uint32_t i = 0; i < part->instance.n; i++)
        index[part->numbers[i]] = i + 1;
    for (size_t r = 0; r < arrlenu(plan->routes); r++) {
        const struct route *from = &plan->routes[r];
        const size_t count = arrlenu(from->stops);
        struct route route = { 0 };
        size_t first = 0;
        while (!whole->problem->has_depot && from->stops[first] != part->numbers[0])
            first++;
        for (size_t s = 0; s < count; s++) {
            const size_t at = (first + s) % count;
            if (!index[from->stops[at]])
                break;
            arrput(route.stops, index[from->stops[at]]);
            if (from->amounts)
                arrput(route.amounts, from->amounts[at]);
        }
        if (arrlenu(route.stops) == (whole->problem->has_depot ? count : part->instance.n)) {
            arrput(own.routes, route);
        } else {
            arrfree(route.stops);
            arrfree(route.amounts);
        }
    }
    free(index);
    return own;
}

// Puts the part back and compares; returns whether the plan has changed.
static bool check_part(const struct plan_part *part, const struct instance *whole, struct solution *plan)
{
    munit_assert_true(part->solved);
    munit_assert_uint32(part->instance.n, >=, SIZE / 2);
    munit_assert_uint32(part->instance.n, <=, SIZE);
    struct solution own = cut_out(part, whole, plan);
    const struct verdict before = judged(whole, plan), old = judged(&part->instance, &own),
                         new = judged(&part->instance, &part->answer);
    solution_finish(&own);
    const bool changed = part_put(part, whole, plan);
    const struct verdict after = judged(whole, plan);
    munit_assert_false(improve_is_better(whole, &before, &after));
    munit_assert_true(changed == improve_is_better(whole, &after, &before));
    munit_assert_true(changed || !(new.length < old.length *(1 - 1e-9)) || whole->metric != METRIC_EUCLID);
    if (!changed)
        return false;
    munit_assert_double(
        fabs((after.objective - before.objective) - (new.objective - old.objective)), <=, 1e-9 * before.objective);
    if (before.has_rounded)
        munit_assert_double(after.rounded - before.rounded, ==, new.rounded - old.rounded);
    return true;
}

static MunitResult test_put(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    uint32_t kinds = 0;
    for (const struct problem *const *problem = problems; *problem; problem++) {
        struct model *model = trained(gpu, *problem);
        uint32_t changes = 0;
        bool exist = false;
        for (uint32_t k = 0; k < 2; k++) {
            struct instance instance;
            generate(&instance, *problem, k);
            exist = parts_exist(&model->config, &instance);
            struct solution plan = exist ? plain_plan(&instance) : (struct solution){ 0 };
            for (uint32_t round = 0; exist && round < ROUNDS; round++) {
                const struct parts_options options = { .seed = 1, .deadline = deadline_never() };
                struct plan_part *parts = parts_propose(&model->config, &instance, &plan, round, MAX_PARTS);
                munit_assert_size(arrlenu(parts), >, 0);
                munit_assert_size(arrlenu(parts), <=, MAX_PARTS);
                test_ok(parts_solve(parts, model, &options));
                for (size_t p = 0; p < arrlenu(parts); p++)
                    changes += check_part(&parts[p], &instance, &plan);
                parts_finish(&parts);
            }
            solution_finish(&plan);
            instance_finish(&instance);
        }
        munit_assert_true(exist == (changes > 0));
        kinds += exist;
        model_destroy(&model);
    }
    munit_assert_uint32(kinds, >=, 3); // a plain tour, and routes with loads that split and that do not
    gpu_close(&gpu);
    return MUNIT_OK;
}

// A plan that no longer has the part stays as it is, and so does one whose part has no answer.
static MunitResult test_gone(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    for (const struct problem *const *problem = problems; *problem; problem++) {
        struct model *model = trained(gpu, *problem);
        struct instance instance;
        generate(&instance, *problem, 0);
        if (parts_exist(&model->config, &instance)) {
            const struct parts_options options = { .seed = 1, .deadline = deadline_never() };
            struct solution plan = plain_plan(&instance), other;
            struct plan_part *parts = parts_propose(&model->config, &instance, &plan, 0, 1);
            munit_assert_false(part_put(&parts[0], &instance, &plan));
            test_ok(parts_solve(parts, model, &options));
            improve_copy(&other, &plan);
            // Exchanges a customer of the part with another one.
            uint32_t in = parts[0].numbers[1], out = 0;
            for (uint32_t c = 1; c <= CUSTOMERS && !out; c++) {
                bool among = false;
                for (uint32_t i = 0; i < parts[0].instance.n; i++)
                    among = among || parts[0].numbers[i] == c;
                out = among ? 0 : c;
            }
            for (size_t r = 0; r < arrlenu(other.routes); r++) {
                for (size_t s = 0; s < arrlenu(other.routes[r].stops); s++) {
                    uint32_t *stop = &other.routes[r].stops[s];
                    *stop = *stop == in ? out : *stop == out ? in : *stop;
                }
            }
            munit_assert_false(part_put(&parts[0], &instance, &other));
            munit_assert_true(part_put(&parts[0], &instance, &plan));
            parts_finish(&parts);
            solution_finish(&plan);
            solution_finish(&other);
        }
        instance_finish(&instance);
        model_destroy(&model);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

static struct search_result search_fully(const struct model *model, const struct instance *instance)
{
    const struct search_options options = { .decoding = { MDAM_DECODE_GREEDY, .augment = 1 },
        .seed = 2,
        .improve = MDAM_IMPROVE_FULL,
        .iterations = instance->problem->has_depot ? 2000 : 20000 };
    struct search_result result = { 0 };
    search_all(model, instance, 1, &options, NULL, &result);
    munit_assert_true(result.solved);
    judged(instance, &result.solution);
    return result;
}

// With iterations counted, answers do not depend on when the device is ready.
static MunitResult test_same(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    for (const struct problem *const *problem = problems; *problem; problem++) {
        struct model *model = trained(gpu, *problem);
        struct instance instance;
        generate(&instance, *problem, 0);
        if (parts_exist(&model->config, &instance)) {
            struct search_result a = search_fully(model, &instance), b = search_fully(model, &instance);
            munit_assert_size(arrlenu(a.solution.routes), ==, arrlenu(b.solution.routes));
            for (size_t r = 0; r < arrlenu(a.solution.routes); r++) {
                const uint32_t *one = a.solution.routes[r].stops, *two = b.solution.routes[r].stops;
                munit_assert_size(arrlenu(one), ==, arrlenu(two));
                munit_assert_memory_equal(arrlenu(one) * sizeof *one, one, two);
            }
            search_result_finish(&a);
            search_result_finish(&b);
        }
        instance_finish(&instance);
        model_destroy(&model);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

static bool stop_after_a_second(void *user)
{
    return clock_seconds() > *(const double *)user + 1;
}

// A search that solves parts ends soon after its limit or a stop, whether a thread waits or not.
static MunitResult test_end(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    const struct problem *problem = problem_by_name("cvrp");
    struct model *model = trained(gpu, problem);
    struct instance instance;
    generate(&instance, problem, 0);
    for (int timed = 0; timed < 2; timed++) {
        double start = clock_seconds();
        const struct search_options options = { .decoding = { MDAM_DECODE_BEAM, .width = 2, .augment = 1 },
            .limited = timed,
            .improve = MDAM_IMPROVE_FULL,
            .iterations = timed ? 0 : 1 << 20,
            .stop = timed ? NULL : stop_after_a_second,
            .user = &start };
        const struct deadline deadline = timed ? deadline_after(start, 1) : deadline_never();
        struct search_result result = { 0 };
        search_all(model, &instance, 1, &options, &deadline, &result);
        munit_assert_double(clock_seconds() - start, <, 10); // with room for slow devices on a busy machine
        munit_assert_true(result.solved);
        judged(&instance, &result.solution);
        search_result_finish(&result);
    }
    instance_finish(&instance);
    model_destroy(&model);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/put", test_put, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/gone", test_gone, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/end", test_end, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/same", test_same, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/search/parts", tests)
