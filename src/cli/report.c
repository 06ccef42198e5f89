#include "cli/report.h"

#include <stdlib.h>

#include "util/error.h"
#include "util/file.h"
#include "util/text.h"

bool report_json(json_t *root)
{
    // Nine digits reproduce a single-precision number exactly.
    char *json = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(root);
    if (!json)
        return fail(FAULT_INTERNAL, "the result cannot be written as JSON");
    struct text text = { 0 };
    text_add(&text, "%s\n", json);
    free(json);
    bool ok = file_write("-", text.data, text.size);
    text_finish(&text);
    return ok;
}
