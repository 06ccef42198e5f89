// Where solve and improve put their solutions, and in what form.
#ifndef CLI_SOLUTIONS_H
#define CLI_SOLUTIONS_H

#include "cli/flags.h"
#include "cli/outputs.h"

extern struct solutions_options {
    const char *output, *plot;
    int format; // the first of enum mdam_format; -1: by the name of the output
} solutions_options;

#define SOLUTIONS_FLAGS                                                                                                \
    { "-o", "--output", FLAG_TEXT, &solutions_options.output, "OUT", "where the solutions go; - is standard output" }, \
        { "--format", NULL, FLAG_CHOICE, &solutions_options.format, "json|sol|tour|text",                              \
            "how they are written; without it by the ending .sol, .tour or .txt of the output, else as JSON" },        \
    {                                                                                                                  \
        "--plot", NULL, FLAG_TEXT, &solutions_options.plot, "OUT.svg",                                                 \
            "pictures; several get their number before .svg"                                                           \
    }

// What a file or standard output can hold of COUNT solutions, and that they can be written: COMMAND may take hours.
bool solutions_check(const char *command, size_t count);
// Reserves the outputs.
bool solutions_take_outputs(struct outputs *outputs, size_t count);
// Those that are solved, and their pictures.
bool solutions_write(const struct mdam_solutions *solutions);

#endif
