#include <string.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/pairs.h"
#include "util/file.h"
#include "util/text.h"

#define STATUS_INFEASIBLE 4

static const struct flag flags[] = {
    FLAGS_READING,
    { NULL },
};

static bool run(const struct arguments *arguments, int *status)
{
    struct pairs pairs;
    struct text text = { 0 };
    bool ok = pairs_read(&pairs, arguments);
    for (size_t i = 0; ok && i < mdam_instances_count(pairs.instances); i++) {
        char *verdict = mdam_solution_text(pairs.solutions, i, MDAM_FORMAT_VERDICT);
        text_add(&text, "%s", verdict);
        mdam_text_free(&verdict);
        if (!mdam_solution(pairs.solutions, i)->feasible)
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
    .flags = { flags, host_flags },
    .run = run,
};
