#include "cli/solutions.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/path.h"

struct solutions_options solutions_options = { .output = "-", .format = -1 };
static struct solutions_options *const options = &solutions_options;

// Selects the given format, or that of the output's ending. Refuses the ending of a picture.
static bool choose_format(const char *command)
{
    static const struct {
        const char *ending;
        enum mdam_format format;
    } known[] = { { ".sol", MDAM_FORMAT_SOL }, { ".tour", MDAM_FORMAT_TOUR }, { ".txt", MDAM_FORMAT_TEXT },
        { ".geojson", MDAM_FORMAT_GEOJSON }, { ".gpx", MDAM_FORMAT_GPX } };
    static const enum mdam_format words[] = { MDAM_FORMAT_JSON, MDAM_FORMAT_SOL, MDAM_FORMAT_TOUR, MDAM_FORMAT_TEXT,
        MDAM_FORMAT_GEOJSON, MDAM_FORMAT_GPX };
    if (options->format >= 0) {
        options->format = words[options->format];
        return true;
    }
    options->format = MDAM_FORMAT_JSON;
    const char *ending = strrchr(options->output, '.');
    for (size_t i = 0; ending && i < sizeof known / sizeof *known; i++) {
        if (!strcasecmp(ending, known[i].ending))
            options->format = known[i].format;
    }
    if (ending && !strcasecmp(ending, ".svg"))
        return fail(FAULT_INPUT, "%s: -o: %s: --plot writes pictures; -o needs --format for this name", command,
            options->output);
    return true;
}

bool solutions_check(const char *command, const struct mdam_instances *instances)
{
    if (!choose_format(command))
        return false;
    const size_t count = mdam_instances_count(instances);
    const bool map = options->format == MDAM_FORMAT_GEOJSON || options->format == MDAM_FORMAT_GPX;
    bool single = options->format == MDAM_FORMAT_SOL || options->format == MDAM_FORMAT_TOUR || map;
    if (single && count > 1)
        return fail(
            FAULT_INPUT, "%s: --format: this format has one solution, not %zu; use json or text", command, count);
    if (map && !mdam_instance_is_lonlat(instances, 0))
        return fail(
            FAULT_INPUT, "%s: --format: maps need \"coordinates\": \"lonlat\", or lon and lat in a table", command);
    if (options->plot && !strcmp(options->plot, "-"))
        return fail(FAULT_INPUT, "%s: --plot: standard output is used for the solutions", command);
    if (options->plot && !picture_name_fits(options->plot))
        return fail_within("%s: --plot", command);
    char *picture = options->plot ? picture_path(options->plot, 0, count) : NULL;
    bool ok = file_can_write(options->output) && (!picture || file_can_write(picture));
    free(picture);
    return ok;
}

bool solutions_add_outputs(struct outputs *outputs, size_t count)
{
    return outputs_add(outputs, options->output, "-o") && outputs_add_plots(outputs, options->plot, count, "--plot");
}

static bool write_pictures(const struct mdam_solutions *solutions)
{
    size_t count = mdam_solutions_count(solutions);
    for (size_t i = 0; options->plot && i < count; i++) {
        if (!mdam_solution(solutions, i)->solved)
            continue;
        char *path = picture_path(options->plot, i, count), *svg = mdam_solution_text(solutions, i, MDAM_FORMAT_SVG);
        bool ok = file_write(path, svg, strlen(svg));
        mdam_text_free(&svg);
        free(path);
        if (!ok)
            return false;
    }
    return true;
}

static struct file_out growing; // while solutions are written one by one
static bool failed;             // one of them could not be written

static bool add_solution(struct file_out *out, const struct mdam_solutions *solutions, size_t index, bool first)
{
    char *text = mdam_solution_text(solutions, index, (enum mdam_format)options->format);
    bool ok = first || options->format != MDAM_FORMAT_TEXT || file_out_add(out, "\n", 1);
    ok = ok && file_out_add(out, text, strlen(text));
    mdam_text_free(&text);
    return ok;
}

bool solutions_write_next(const struct mdam_solutions *solutions, size_t index)
{
    bool first = !growing.open;
    failed = (first && !file_out_open_growing(&growing, options->output)) ||
             !add_solution(&growing, solutions, index, first);
    return !failed;
}

bool solutions_failed(void)
{
    return failed;
}

static bool write_solutions(const struct mdam_solutions *solutions, const char *path)
{
    struct file_out out;
    bool ok = file_out_open(&out, path), first = true;
    for (size_t i = 0; ok && i < mdam_solutions_count(solutions); i++) {
        if (!mdam_solution(solutions, i)->solved)
            continue;
        ok = add_solution(&out, solutions, i, first);
        first = false;
    }
    ok = ok && file_out_close(&out);
    file_out_abandon(&out);
    return ok;
}

static bool is_standard_output(const char *path)
{
    char *own = path_identity(strcmp(path, "-") ? path : "/dev/stdout"), *standard = path_identity("/dev/stdout");
    bool same = !strcmp(path, "-") || (own && standard && !strcmp(own, standard));
    free(own);
    free(standard);
    return same;
}

// Solutions that a full disk refuses would be lost with the time that they took. The failure stays one.
static void print_instead(const struct mdam_solutions *solutions)
{
    const enum fault fault = error_fault();
    char *sentence = xstrdup(error_text());
    const bool printed = !is_standard_output(options->output) && file_can_write("-") && write_solutions(solutions, "-");
    fail(fault, "%s%s", sentence, printed ? "; the solutions are on standard output" : "");
    free(sentence);
}

bool solutions_write(const struct mdam_solutions *solutions)
{
    const bool ok = !failed && (growing.open ? file_out_close(&growing) : write_solutions(solutions, options->output));
    file_out_abandon(&growing);
    if (!ok)
        print_instead(solutions);
    return ok && write_pictures(solutions);
}
