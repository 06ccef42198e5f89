#include "format/tsplib_draft.h"

#include <jansson.h>
#include <math.h>
#include <stb/stb_ds.h>
#include <stdlib.h>
#include <string.h>

#include "problem/problem.h"
#include "util/alloc.h"

struct reader {
    struct scan scan;
    const struct keyword *section; // the current section
    bool ended, warned;            // EOF was read; an unknown keyword was reported
    struct tsplib_draft *draft;
};

// A keyword with a value, or one that opens a section (`row` parses its lines).
struct keyword {
    const char *name;
    bool (*read)(struct reader *, struct span value);
    bool (*row)(struct reader *, struct span line);
    const char *refusal; // why it cannot be ignored
};

#define WRONG(reader, ...) SCAN_WRONG((reader)->scan.line, __VA_ARGS__)

static bool ignore(struct reader *r, struct span value)
{
    (void)r, (void)value;
    return true;
}

// Names end up in JSON and plots: control characters and bytes that are not UTF-8 become '?'.
static bool read_name(struct reader *r, struct span value)
{
    if (!value.size)
        return true;
    char *name = xformat("%.*s", (int)(value.size < 200 ? value.size : 200), value.at);
    json_t *text = json_string(name);
    for (char *c = name; *c; c++) {
        if (*c == 127 || (unsigned char)*c < 32 || (!text && (unsigned char)*c > 127))
            *c = '?';
    }
    json_decref(text);
    r->draft->name = name;
    return true;
}

static bool read_type(struct reader *r, struct span value)
{
    span_word(&value, &r->draft->type); // real files have remarks after it
    return true;
}

static bool read_dimension(struct reader *r, struct span value)
{
    if (!span_integer(value, &r->draft->dimension) || r->draft->dimension < 1)
        return WRONG(r, "DIMENSION must be a positive integer, not \"%.*s\"", SPAN_SHOWN(value));
    return true;
}

static bool read_metric(struct reader *r, struct span value)
{
    r->draft->metric = value;
    return true;
}

static bool read_capacity(struct reader *r, struct span value)
{
    if (!span_real(value, &r->draft->capacity) || r->draft->capacity <= 0)
        return WRONG(r, "CAPACITY must be a positive number, not \"%.*s\"", SPAN_SHOWN(value));
    return true;
}

static bool read_limit(struct reader *r, struct span value)
{
    if (!span_real(value, &r->draft->limit) || r->draft->limit < 0)
        return WRONG(r, "COST_LIMIT must be a number of at least 0, not \"%.*s\"", SPAN_SHOWN(value));
    return true;
}

static bool read_coordinate_type(struct reader *r, struct span value)
{
    return span_is(value, "TWOD_COORDS") ||
           WRONG(r, "NODE_COORD_TYPE must be TWOD_COORDS, not %.*s", SPAN_SHOWN(value));
}

static bool read_vehicles(struct reader *r, struct span value)
{
    int64_t count;
    if (!span_integer(value, &count) || count < 1)
        return WRONG(r, "VEHICLES \"%.*s\" is not a positive integer", SPAN_SHOWN(value));
    r->draft->vehicles = (double)count;
    return true;
}

static bool read_format(struct reader *r, struct span value)
{
    r->draft->format = value;
    return true;
}

// Any number of weights on a line.
static bool weight_row(struct reader *r, struct span line)
{
    const size_t max_weights = (size_t)(INSTANCE_DISTANCES_MAX + 1) * (INSTANCE_DISTANCES_MAX + 1);
    struct span word;
    while (span_word(&line, &word)) {
        double weight;
        if (!span_real(word, &weight) || !(weight >= 0 && weight <= VALUE_MAX))
            return WRONG(r, "the weight \"%.*s\" is not a number from 0 to %g", SPAN_SHOWN(word), VALUE_MAX);
        if (arrlenu(r->draft->weights) == max_weights)
            return WRONG(r, "EDGE_WEIGHT_SECTION: a matrix is read for up to %d nodes", INSTANCE_DISTANCES_MAX);
        arrput(r->draft->weights, weight);
    }
    return true;
}

// Reads a node's number and exactly COUNT values.
static bool add_row(struct reader *r, struct span line, int count, struct tsplib_row **rows)
{
    struct tsplib_row row = { .line = r->scan.line, .index = (uint32_t)arrlenu(*rows) };
    struct span rest = line, word;
    if (!span_word(&rest, &word) || !span_integer(word, &row.id))
        return WRONG(r, "\"%.*s\" is not a node number", SPAN_SHOWN(word));
    for (int i = 0; i < count; i++) {
        if (!span_word(&rest, &word))
            return WRONG(
                r, "%s requires a node number and %s", r->section->name, count == 1 ? "a value" : "two coordinates");
        if (!span_real(word, i ? &row.y : &row.x))
            return WRONG(r, "\"%.*s\" is not a finite number", SPAN_SHOWN(word));
        if (fabs(i ? row.y : row.x) > VALUE_MAX)
            return WRONG(r, "%.*s exceeds %g", SPAN_SHOWN(word), VALUE_MAX);
    }
    if (span_word(&rest, &word))
        return WRONG(r, "\"%.*s\" is one value too many", SPAN_SHOWN(word));
    if (row.index == INSTANCE_NODES_MAX)
        return WRONG(r, "more than %d nodes are not supported", INSTANCE_NODES_MAX);
    arrput(*rows, row);
    return true;
}

static bool node_row(struct reader *r, struct span line)
{
    return add_row(r, line, 2, &r->draft->nodes);
}

static bool value_row(struct reader *r, struct span line)
{
    return add_row(r, line, 1, &r->draft->values);
}

static bool depot_row(struct reader *r, struct span line)
{
    struct span word;
    while (r->section && span_word(&line, &word)) {
        int64_t id;
        if (!span_integer(word, &id))
            return WRONG(r, "\"%.*s\" is not a node number", SPAN_SHOWN(word));
        if (id == -1) {
            r->section = NULL;
        } else if (r->draft->depot_line) {
            return WRONG(r, "%lld is a second depot; one is supported", (long long)id);
        } else {
            r->draft->depot = id;
            r->draft->depot_line = r->scan.line;
        }
    }
    return true;
}

static const struct keyword keywords[] = {
    [KEY_NAME] = { "NAME", read_name },
    [KEY_TYPE] = { "TYPE", read_type },
    [KEY_DIMENSION] = { "DIMENSION", read_dimension },
    [KEY_METRIC] = { "EDGE_WEIGHT_TYPE", read_metric },
    [KEY_CAPACITY] = { "CAPACITY", read_capacity },
    [KEY_LIMIT] = { "COST_LIMIT", read_limit },
    [KEY_COORDS] = { "NODE_COORD_SECTION", ignore, node_row },
    [KEY_DEMANDS] = { "DEMAND_SECTION", ignore, value_row },
    [KEY_SCORES] = { "NODE_SCORE_SECTION", ignore, value_row },
    [KEY_DEPOT] = { "DEPOT_SECTION", ignore, depot_row },
    [KEY_VEHICLES] = { "VEHICLES", read_vehicles },
    [KEY_FORMAT] = { "EDGE_WEIGHT_FORMAT", read_format },
    [KEY_WEIGHTS] = { "EDGE_WEIGHT_SECTION", ignore, weight_row },
    { "NODE_COORD_TYPE", read_coordinate_type },
    { "DISTANCE", NULL, .refusal = "limits on the length of routes are not supported" },
    { "SERVICE_TIME", NULL, .refusal = "service times are not supported" },
    { "FIXED_EDGES_SECTION", NULL, .refusal = "fixed edges are not supported" },
    { "TOUR_SECTION", NULL, .refusal = "this is a tour, not an instance" },
    { "DISPLAY_DATA_SECTION", ignore, ignore },
    { "BEST_KNOWN", ignore },
    { "COMMENT", ignore },
    { "DISPLAY_DATA_TYPE", ignore },
    { "OPTIMUM", ignore },
    { "TSP_SOLUTION", ignore },
    { NULL },
};

// Reads "KEYWORD : value", "KEYWORD: value", "KEYWORD value" or a section's "KEYWORD".
static bool read_keyword(struct reader *r, struct span line)
{
    struct span name = { line.at, 0 };
    while (name.size < line.size && !strchr(": \t", line.at[name.size]))
        name.size++;
    struct span value = span_trim((struct span){ line.at + name.size, line.size - name.size });
    if (value.size && value.at[0] == ':')
        value = span_trim((struct span){ value.at + 1, value.size - 1 });

    r->section = NULL;
    r->ended = span_is(name, "EOF");
    if (r->ended)
        return true;
    const struct keyword *keyword = keywords;
    while (keyword->name && !span_is(name, keyword->name))
        keyword++;
    if (!keyword->name) {
        if (!memchr(line.at, ':', line.size) || memmem(name.at, name.size, "_SECTION", 8))
            return WRONG(r, "\"%.*s\" is neither a known keyword nor data", SPAN_SHOWN(line));
        if (!r->warned)
            arrput(r->draft->warnings,
                xformat("line %lu: keyword %.*s is unknown and ignored", r->scan.line, SPAN_SHOWN(name)));
        r->warned = true;
        return true;
    }
    size_t key = (size_t)(keyword - keywords);
    if (key < KEY_COUNT) {
        if (r->draft->line_of[key])
            return WRONG(r, "%s is also in line %lu", keyword->name, r->draft->line_of[key]);
        r->draft->line_of[key] = r->scan.line;
    }
    if (keyword->refusal) {
        double zero = 1;
        return (span_real(value, &zero) && zero == 0) || WRONG(r, "%s: %s", keyword->name, keyword->refusal);
    }
    if (keyword->row)
        r->section = keyword;
    return keyword->read(r, value);
}

static bool read_lines(struct reader *r)
{
    struct span line;
    while (!r->ended && scan_line(&r->scan, &line)) {
        if (!line.size)
            continue;
        if (memchr(line.at, 0, line.size))
            return WRONG(r, "zero byte: this is not a text file");
        bool data = strchr("+-.0123456789", line.at[0]);
        if (data && !r->section)
            return WRONG(r, "\"%.*s\" belongs to no section", SPAN_SHOWN(line));
        if (!(data ? r->section->row(r, line) : read_keyword(r, line)))
            return false;
    }
    return true;
}

bool tsplib_draft_read(struct tsplib_draft *draft, const char *data, size_t size)
{
    *draft = (struct tsplib_draft){ 0 };
    struct reader reader = { .scan.rest = { data, size }, .draft = draft };
    bool ok = read_lines(&reader);
    draft->lines = reader.scan.line;
    return ok;
}

void tsplib_draft_finish(struct tsplib_draft *draft)
{
    free(draft->name);
    for (ptrdiff_t i = 0; i < arrlen(draft->warnings); i++)
        free(draft->warnings[i]);
    arrfree(draft->warnings);
    arrfree(draft->nodes);
    arrfree(draft->values);
    arrfree(draft->weights);
}

const char *tsplib_keyword(enum tsplib_key key)
{
    return keywords[key].name;
}
