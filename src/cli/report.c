#include "cli/report.h"

#include <stdio.h>

#include "util/error.h"

bool report_json(json_t *root)
{
    // Nine digits give a single-precision number back exactly, and are plenty for a time.
    bool ok = root && !json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(root);
    if (!ok)
        return fail(FAULT_INTERNAL, "the result cannot be written as JSON");
    putchar('\n');
    return true;
}
