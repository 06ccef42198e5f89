// Output of solve and improve: file, format and plots.
#ifndef CLI_SOLUTIONS_H
#define CLI_SOLUTIONS_H

#include "cli/flags.h"
#include "cli/outputs.h"

extern struct solutions_options {
    const char *output, *plot;
    int format; // index of the word; -1: by the output's ending. After solutions_check an enum mdam_format
} solutions_options;

#define SOLUTIONS_FLAGS                                                                                                \
    { "-o", "--output", FLAG_TEXT, &solutions_options.output, "OUT", "output file; - is standard output" },            \
        { "--format", NULL, FLAG_CHOICE, &solutions_options.format, "json|sol|tour|text|geojson|gpx",                  \
            "format of the output (default: by its ending .sol, .tour, .txt, .geojson or .gpx, else JSON)" },          \
    {                                                                                                                  \
        "--plot", NULL, FLAG_TEXT, &solutions_options.plot, "OUT.svg",                                                 \
            "write plots; several get their number before .svg"                                                        \
    }

// Before the work, which may take hours: checks that the solutions fit the format and that the outputs are writable.
bool solutions_check(const char *command, const struct mdam_instances *instances);
// Registers the outputs.
bool solutions_add_outputs(struct outputs *outputs, size_t count);
// Writes one of several solutions, the next in order, at once. solutions_write does the rest then.
bool solutions_write_next(const struct mdam_solutions *solutions, size_t index);
bool solutions_failed(void); // solutions_write_next did
// Writes the solved instances and their plots. Solutions that cannot be written go to standard output, and it fails.
bool solutions_write(const struct mdam_solutions *solutions);

#endif
