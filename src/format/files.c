#include "format/files.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <stb/stb_ds.h>

#include "archive/zip.h"
#include "format/csv.h"
#include "format/dataset.h"
#include "format/json.h"
#include "format/npz.h"
#include "format/route_text.h"
#include "format/tsplib.h"
#include "util/error.h"
#include "util/file.h"
#include "util/scan.h"

enum format {
    FORMAT_UNKNOWN,
    FORMAT_JSON,
    FORMAT_TSPLIB,
    FORMAT_SOL,
    FORMAT_TOUR,
    FORMAT_NPZ,
    FORMAT_DATASET,
    FORMAT_CSV
};

static enum format format_by_name(const char *path)
{
    static const struct {
        const char *ending;
        enum format format;
    } endings[] = {
        { ".json", FORMAT_JSON },
        { ".jsonl", FORMAT_JSON },
        { ".tsp", FORMAT_TSPLIB },
        { ".atsp", FORMAT_TSPLIB },
        { ".vrp", FORMAT_TSPLIB },
        { ".oplib", FORMAT_TSPLIB },
        { ".sol", FORMAT_SOL },
        { ".tour", FORMAT_TOUR },
        { ".npz", FORMAT_NPZ },
        { ".pkl", FORMAT_DATASET },
        { ".csv", FORMAT_CSV },
    };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++) {
        if (!strcasecmp(dot, endings[i].ending))
            return endings[i].format;
    }
    return FORMAT_UNKNOWN;
}

// JSON begins with a bracket, .sol with its first route.
static enum format format_by_text(struct span text)
{
    struct scan scan = { .rest = text };
    struct span line;
    while (scan_line(&scan, &line)) {
        if (line.size == 0)
            continue;
        if (strchr("{[\"", line.at[0]))
            return FORMAT_JSON;
        return span_begins(line, "Route") ? FORMAT_SOL : FORMAT_UNKNOWN;
    }
    return FORMAT_JSON; // an empty file: the JSON reader reports it
}

static enum format format_of(const char *path, const char *data, size_t size)
{
    enum format format = format_by_name(path);
    if (!format && zip_begins(data, size))
        format = FORMAT_NPZ;
    else if (!format && dataset_begins(data, size))
        format = FORMAT_DATASET;
    return format ? format : format_by_text((struct span){ data, size });
}

// Refuses JSON under another format's name, because that format's messages would not help.
static bool check_name(enum format format, const char *data, size_t size)
{
    const char *first = data;
    while (first < data + size && strchr(" \t\r\n", *first))
        first++;
    if (format == FORMAT_JSON || first == data + size || !strchr("{[", *first))
        return true;
    return fail(FAULT_INPUT, "looks like JSON, but its name does not end with .json or .jsonl");
}

static bool instance_from_tsplib(const char *data, size_t size, struct instance **instances)
{
    struct instance instance;
    if (!tsplib_parse(data, size, &instance))
        return false;
    arrput(*instances, instance);
    return true;
}

static bool instance_from_csv(
    const char *data, size_t size, const struct mdam_read_options *options, struct instance **instances)
{
    struct instance instance;
    if (!csv_parse(data, size, options, &instance))
        return false;
    arrput(*instances, instance);
    return true;
}

static bool has_word(const char *data, size_t size, const char *word)
{
    return memmem(data, size, word, strlen(word)) != NULL;
}

bool instances_read(const char *path, size_t max_count, struct instance **instances)
{
    return instances_read_as(path, &(struct mdam_read_options){ 0 }, max_count, instances);
}

// Other formats have a key for it.
static bool check_options(enum format format, const struct mdam_read_options *options)
{
    const char *field = options->capacity > 0     ? "capacity"
                        : options->vehicles > 0   ? "vehicles"
                        : options->max_length > 0 ? "max_length"
                        : options->min_prize > 0  ? "min_prize"
                        : options->open           ? "open"
                                                  : NULL;
    return !field || format == FORMAT_CSV || fail_field(FAULT_INPUT, field, "applies to tables (.csv) only");
}

bool instances_read_as(
    const char *path, const struct mdam_read_options *options, size_t max_count, struct instance **instances)
{
    const struct problem *problem = options->problem ? problem_by_name(options->problem) : NULL;
    char *data;
    size_t size;
    if (!file_read(path, FILE_BYTES_MAX, &data, &size))
        return false;
    bool ok;
    enum format format = format_of(path, data, size);
    if (!check_options(format, options)) {
        free(data);
        return false;
    }
    if (!check_name(format, data, size))
        ok = false;
    else if (format == FORMAT_JSON)
        ok = instances_from_json(data, size, max_count, instances);
    else if (format == FORMAT_NPZ)
        ok = instances_from_npz(data, size, problem, max_count, instances);
    else if (format == FORMAT_DATASET)
        ok = instances_from_dataset(data, size, problem, max_count, instances);
    else if (format == FORMAT_CSV)
        ok = instance_from_csv(data, size, options, instances);
    else if (format == FORMAT_UNKNOWN && !has_word(data, size, ":") && !has_word(data, size, "_SECTION"))
        ok = fail(
            FAULT_INPUT, "unknown format; must be JSON, JSON Lines, TSPLIB (.tsp, .vrp, .oplib), .csv, .npz or .pkl");
    else
        ok = instance_from_tsplib(data, size, instances);
    free(data);
    return ok || fail_within("%s", file_shown(path));
}

bool instances_are_lines(const char *path)
{
    enum format format = format_by_name(path);
    return format == FORMAT_JSON || format == FORMAT_UNKNOWN;
}

// Arrays hold coordinates on a plane and the problems' columns, nothing else.
static bool check_arrays(const struct instance *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].coordinates != COORDINATES_PLANE || list[i].distances || list[i].open || list[i].vehicles > 0 ||
            list[i].start > 0 || list[i].end > 0)
            return fail(FAULT_INPUT,
                "instance %zu: only JSON can store degrees, distances, open routes, vehicles, a start or an end",
                i + 1);
    }
    return true;
}

bool instances_write(const char *path, const struct instance *list, size_t count)
{
    struct text file = { 0 };
    bool ok = true;
    enum format format = format_by_name(path);
    for (size_t i = 0; i < count && instances_are_lines(path); i++)
        instance_to_json(&file, &list[i]);
    if (format == FORMAT_NPZ)
        ok = check_arrays(list, count) && instances_to_npz(&file, list, count);
    else if (format == FORMAT_DATASET)
        ok = check_arrays(list, count) && instances_to_dataset(&file, list, count);
    else if (!instances_are_lines(path))
        ok = fail(FAULT_INPUT, "instances are not written in the format of this ending, only as .jsonl, .npz and .pkl");
    ok = ok || fail_within("%s", file_shown(path));
    ok = ok && file_write(path, file.data ? file.data : "", file.size);
    text_finish(&file);
    return ok;
}

static bool solution_from_text(enum format format, const char *data, size_t size, const struct instance *instances,
    size_t count, struct solution **solutions)
{
    if (count != 1)
        return fail(FAULT_INPUT, "one solution for %zu instances", count);
    if (format == FORMAT_UNKNOWN && !has_word(data, size, "_SECTION"))
        return fail(FAULT_INPUT, "unknown format; must be JSON, .sol or .tour");
    struct solution solution;
    bool ok = format == FORMAT_SOL ? sol_parse(data, size, instances, &solution)
                                   : tour_parse(data, size, instances, &solution);
    if (ok)
        arrput(*solutions, solution);
    return ok;
}

bool solutions_read(const char *path, const struct instance *instances, size_t count, struct solution **solutions)
{
    char *data;
    size_t size;
    if (!file_read(path, FILE_BYTES_MAX, &data, &size))
        return false;
    enum format format = format_of(path, data, size);
    bool ok = check_name(format, data, size);
    if (ok && format == FORMAT_JSON)
        ok = solutions_from_json(data, size, instances, count, solutions);
    else if (ok)
        ok = solution_from_text(format, data, size, instances, count, solutions);
    free(data);
    return ok || fail_within("%s", file_shown(path));
}
