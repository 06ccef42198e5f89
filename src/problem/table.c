#include <string.h>

#include "problem/problem.h"

const struct problem *const problems[] = { &problem_tsp, &problem_cvrp, &problem_sdvrp, &problem_op, &problem_pctsp,
    &problem_spctsp, NULL };

const struct problem *problem_by_name(const char *name)
{
    for (const struct problem *const *problem = problems; *problem; problem++) {
        if (!strcmp((*problem)->name, name))
            return *problem;
    }
    return NULL;
}
