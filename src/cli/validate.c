#include <math.h>

#include <stb/stb_ds.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/pairs.h"
#include "format/json.h"
#include "util/file.h"

#define STATUS_INFEASIBLE 4

static void judge(const struct instance *instance, const struct solution *solution, struct verdict *verdict)
{
    if (solution->missing)
        *verdict = (struct verdict){ .objective = NAN, .violation = "there is no solution of this instance" };
    else
        instance->problem->judge(instance, solution, verdict);
    verdict_compare(verdict, solution);
}

static bool run(const struct arguments *arguments, int *status)
{
    struct pairs pairs;
    struct text text = { 0 };
    bool ok = pairs_read(&pairs, arguments);
    for (size_t i = 0; ok && i < arrlenu(pairs.instances); i++) {
        struct verdict verdict;
        judge(&pairs.instances[i], &pairs.solutions[i], &verdict);
        verdict_to_json(&text, &verdict);
        if (!verdict.feasible)
            *status = STATUS_INFEASIBLE;
    }
    ok = ok && file_write("-", text.data, text.size);
    pairs_finish(&pairs);
    text_finish(&text);
    return ok;
}

const struct command command_validate = {
    "validate",
    "judge a solution by the problem's rules: feasible or not, and its objective",
    .operands = "INSTANCE SOLUTION",
    .min_operands = 2,
    .max_operands = 2,
    .flags = { host_flags },
    .run = run,
};
