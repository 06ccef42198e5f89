// Reads solutions from files and judges them.
#include <math.h>

#include <stb/stb_ds.h>

#include "api/internal.h"
#include "format/files.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/locale.h"

static void judge(struct search_result *result, const struct instance *instance, const struct solution *solution)
{
    result->solution = *solution;
    result->solved = !solution->missing;
    if (result->solved)
        instance->problem->judge(instance, solution, &result->verdict);
    else
        result->verdict = (struct verdict){ .objective = NAN, .violation = "this instance has no solution" };
    verdict_compare(&result->verdict, solution);
}

bool mdam_solutions_read(struct mdam_solutions **out, const struct mdam_instances *instances, const char *path)
{
    IN_PLAIN_LOCALE;
    *out = NULL;
    struct solution *read = NULL;
    size_t count = mdam_instances_count(instances);
    if (!path)
        return fail(FAULT_INTERNAL, "the path of the solutions is NULL");
    bool ok = solutions_read(path, instances ? instances->list : NULL, count, &read);
    if (ok) {
        struct mdam_solutions *s = *out = mdam_solutions_create(instances);
        for (size_t i = 0; i < count; i++) {
            judge(&s->results[i], &instances->list[i], &read[i]);
            mdam_solution_show(s, i);
        }
    }
    for (size_t i = 0; !ok && i < arrlenu(read); i++)
        solution_finish(&read[i]);
    arrfree(read);
    return ok;
}
