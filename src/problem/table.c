#include <string.h>

#include "problem/problem.h"
#include "util/error.h"
#include "util/text.h"

const struct problem *problems[PROBLEMS_MAX + 1] = { &problem_tsp, &problem_cvrp, &problem_sdvrp, &problem_op,
    &problem_pctsp, &problem_spctsp };

void problem_register(const struct problem *problem)
{
    size_t count = 0;
    while (problems[count])
        count++;
    if (count == PROBLEMS_MAX || problem_by_name(problem->name))
        bug("%s is registered twice, or there are more than %d problems", problem->name, PROBLEMS_MAX);
    problems[count] = problem;
}

const struct problem *problem_by_name(const char *name)
{
    for (const struct problem *const *problem = problems; *problem; problem++) {
        if (!strcmp((*problem)->name, name))
            return *problem;
    }
    return NULL;
}

const struct problem *problem_expected(const char *name)
{
    const struct problem *found = problem_by_name(name);
    struct text names = { 0 };
    for (const struct problem *const *problem = problems; !found && *problem; problem++)
        text_add(&names, "%s%s", names.size ? ", " : "", (*problem)->name);
    if (!found)
        fail(FAULT_INPUT, "must be one of %s, not \"%.40s\"", names.data, name);
    text_finish(&names);
    return found;
}

const struct column *problem_column(const struct problem *problem, const char *key)
{
    FOR_COLUMNS(column, problem)
    {
        if (!strcmp(column->key, key))
            return column;
    }
    return NULL;
}

bool problem_may_leave_out(const struct problem *problem)
{
    return problem->objective & (QUANTITY_PRIZE | QUANTITY_PENALTY);
}

uint32_t problem_state_words(const struct problem *problem)
{
    uint32_t count = 0;
    while (problem->state[count].name)
        count++;
    return count;
}

// In the order of their enums, NULL-ended.
static const char *const prize_kinds[] = { "const", "unif", "dist", "mixed", NULL };
static const char *const node_layouts[] = { "uniform", "cluster", "mixed", NULL };

// The index of a name; behind the last where it is not among them.
static size_t find_name(const char *const *names, const char *name)
{
    size_t i = 0;
    while (names[i] && strcmp(names[i], name))
        i++;
    return i;
}

const char *prize_kind_name(enum prize_kind kind)
{
    return prize_kinds[kind];
}

bool prize_kind_by_name(const char *name, enum prize_kind *kind)
{
    size_t i = find_name(prize_kinds, name);
    if (prize_kinds[i])
        *kind = (enum prize_kind)i;
    return prize_kinds[i];
}

const char *node_layout_name(enum node_layout layout)
{
    return node_layouts[layout];
}

bool node_layout_by_name(const char *name, enum node_layout *layout)
{
    size_t i = find_name(node_layouts, name);
    if (node_layouts[i])
        *layout = (enum node_layout)i;
    return node_layouts[i];
}
