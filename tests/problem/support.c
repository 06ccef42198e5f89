#include "tests/problem/support.h"

#include <math.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "format/json.h"
#include "util/error.h"

struct instance instance_of(const char *json)
{
    struct instance *instances = NULL;
    if (!instances_from_json(json, strlen(json), SIZE_MAX, &instances))
        munit_errorf("%s\n  %s", json, error_text());
    munit_assert_size(arrlenu(instances), ==, 1);
    struct instance instance = instances[0];
    arrfree(instances);
    return instance;
}

struct solution solution_of(const struct instance *instance, const char *json)
{
    struct solution *solutions = NULL;
    if (!solutions_from_json(json, strlen(json), instance, 1, &solutions))
        munit_errorf("%s\n  %s", json, error_text());
    struct solution solution = solutions[0];
    arrfree(solutions);
    return solution;
}

void expect_verdicts(const char *instance_json, const struct expected *table)
{
    struct instance instance = instance_of(instance_json);
    for (; table->solution; table++) {
        struct solution solution = solution_of(&instance, table->solution);
        struct verdict verdict;
        instance.problem->judge(&instance, &solution, &verdict);
        expect_message(
            verdict.feasible ? "feasible" : verdict.violation, table->violation ? table->violation : "feasible");
        // The tables' lengths are sums of a few exact or once rounded distances.
        if (isnan(table->objective))
            munit_assert_true(isnan(verdict.objective));
        else
            munit_assert_double(fabs(verdict.objective - table->objective), <=, 1e-12 * fabs(table->objective));
        solution_finish(&solution);
    }
    instance_finish(&instance);
}

void expect_warnings(const char *instance_json, const char *const *warnings)
{
    struct instance instance = instance_of(instance_json);
    for (ptrdiff_t i = 0; i < arrlen(instance.warnings); i++) {
        if (!*warnings)
            munit_errorf("one warning too many: %s", instance.warnings[i]);
        expect_message(instance.warnings[i], *warnings++);
    }
    munit_assert_null(*warnings);
    instance_finish(&instance);
}
