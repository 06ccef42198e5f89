// Results for programs: JSON on standard output.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdbool.h>

#include <jansson.h>

// Prints and releases ROOT; NULL (a value that jansson refused, such as text that is not UTF-8) is an error.
bool report_json(json_t *root);

#endif
