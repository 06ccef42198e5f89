// Lists of solutions, found or read.
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "api/internal.h"
#include "util/alloc.h"

struct mdam_solutions *mdam_solutions_create(const struct mdam_instances *instances)
{
    struct mdam_solutions *s = xcalloc(1, sizeof *s);
    s->instances = instances;
    s->count = mdam_instances_count(instances);
    s->models = xcalloc(s->count, sizeof *s->models);
    s->results = xcalloc(s->count, sizeof *s->results);
    s->list = xcalloc(s->count, sizeof *s->list);
    return s;
}

void mdam_solution_show(struct mdam_solutions *s, size_t i)
{
    const struct search_result *result = &s->results[i];
    const struct instance *instance = &s->instances->list[i];
    struct mdam_solution *to = &s->list[i];
    to->solved = result->solved;
    if (!result->solved)
        return;
    const struct verdict *verdict = &result->verdict;
    static const char *const improvements[] = { [MDAM_IMPROVE_LOCAL] = "local", [MDAM_IMPROVE_FULL] = "full" };
    static const char *const origins[] = { [ORIGIN_DECODER] = "decoder",
        [ORIGIN_SAVINGS] = "savings",
        [ORIGIN_INSERTION] = "insertion",
        [ORIGIN_RANDOM] = "random",
        [ORIGIN_GIVEN] = "given" };
    if (result->improve > MDAM_IMPROVE_OFF) {
        to->improve = improvements[result->improve];
        to->origin = origins[result->origin];
        to->constructed = result->constructed;
    }
    to->objective = verdict->objective;
    to->length = verdict->length;
    to->prize = verdict->prize;
    to->penalty = verdict->penalty;
    to->has_rounded = verdict->has_rounded;
    to->rounded = verdict->rounded;
    to->feasible = verdict->feasible;
    to->violation = verdict->feasible ? NULL : verdict->violation;
    const struct route *routes = result->solution.routes;
    struct mdam_route *shown = xcalloc(arrlenu(routes), sizeof *shown);
    for (size_t r = 0; r < arrlenu(routes); r++) {
        shown[r] = (struct mdam_route){ .count = arrlenu(routes[r].stops), .stops = routes[r].stops };
        if (!routes[r].amounts)
            continue;
        double *amounts = xcalloc(shown[r].count, sizeof *amounts);
        for (size_t k = 0; k < shown[r].count; k++)
            amounts[k] = (double)routes[r].amounts[k] / (double)instance->demand_scale;
        shown[r].amounts = amounts;
    }
    to->route_count = arrlenu(routes);
    to->routes = shown;
}

void mdam_solutions_free(struct mdam_solutions **slot)
{
    struct mdam_solutions *s = *slot;
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++) {
        struct mdam_solution *solution = &s->list[i];
        for (size_t r = 0; r < solution->route_count; r++)
            free((double *)solution->routes[r].amounts);
        free((struct mdam_route *)solution->routes);
        char **warnings = (char **)solution->warnings;
        for (size_t k = 0; k < solution->warning_count; k++)
            free(warnings[k]);
        arrfree(warnings);
        search_result_finish(&s->results[i]);
    }
    free(s->list);
    free(s->results);
    free(s->models);
    free(s);
    *slot = NULL;
}

size_t mdam_solutions_count(const struct mdam_solutions *solutions)
{
    return solutions ? solutions->count : 0;
}

const struct mdam_solution *mdam_solution(const struct mdam_solutions *solutions, size_t index)
{
    mdam_expect_index(__func__, index, mdam_solutions_count(solutions));
    return &solutions->list[index];
}
