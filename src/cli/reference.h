// Objectives to compare with, and the gaps to them.
#ifndef CLI_REFERENCE_H
#define CLI_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

struct json_t;
struct mdam_evaluation;

struct reference {
    double *objectives; // stb_ds array
};

// Reads lines of JSON with `objective`, as solve writes them, for COUNT instances. With PARTLY there may be more.
bool reference_file_read(struct reference *reference, const char *path, size_t count, bool partly);
void reference_file_finish(struct reference *reference); // also of a zeroed one

// Adds to a result what the objectives are above those of the reference (where more is better, below), in percent: the
// mean, its standard error, and each.
void reference_file_describe(
    const struct reference *reference, const struct mdam_evaluation *evaluation, struct json_t *object);

#endif
