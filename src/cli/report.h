// Results for other programs: JSON on standard output.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdbool.h>

#include <jansson.h>

// Prints and releases ROOT. NULL is an error: a value that jansson refused, such as text that is not UTF-8.
bool report_json(json_t *root);

#endif
