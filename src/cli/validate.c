#include <string.h>

#include <stb/stb_ds.h>

#include "cli/command.h"
#include "cli/common.h"
#include "problem/files.h"
#include "problem/json.h"
#include "util/error.h"
#include "util/file.h"

#define STATUS_INFEASIBLE 4

static bool read_both(const char *const *paths, struct instance **instances, struct solution **solutions)
{
    if (!strcmp(paths[0], "-") && !strcmp(paths[1], "-"))
        return fail(FAULT_INPUT, "validate: only one of the two can come from standard input");
    return instances_read(paths[0], SIZE_MAX, instances) &&
           solutions_read(paths[1], *instances, arrlenu(*instances), solutions);
}

static bool run(const struct arguments *arguments, int *status)
{
    struct instance *instances = NULL;
    struct solution *solutions = NULL;
    struct text text = { 0 };
    bool ok = read_both(arguments->operands, &instances, &solutions);
    for (size_t i = 0; ok && i < arrlenu(instances); i++) {
        warn_about(arguments->operands[0], i, arrlenu(instances), &instances[i]);
        struct verdict verdict;
        instances[i].problem->judge(&instances[i], &solutions[i], &verdict);
        verdict_to_json(&text, &verdict);
        if (!verdict.feasible)
            *status = STATUS_INFEASIBLE;
    }
    ok = ok && file_write("-", text.data, text.size);
    for (size_t i = 0; i < arrlenu(solutions); i++)
        solution_finish(&solutions[i]);
    for (size_t i = 0; i < arrlenu(instances); i++)
        instance_finish(&instances[i]);
    arrfree(solutions);
    arrfree(instances);
    text_finish(&text);
    return ok;
}

const struct command command_validate = {
    "validate",
    "judge a solution by the problem's rules: feasible or not, and its objective",
    .operands = "INSTANCE SOLUTION",
    .min_operands = 2,
    .max_operands = 2,
    .flags = { common_flags },
    .run = run,
};
