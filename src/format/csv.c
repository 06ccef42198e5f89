#include "format/csv.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "util/alloc.h"
#include "util/scan.h"

struct row {
    char **fields; // stb_ds array
    unsigned long line;
};

struct table {
    char separator;
    struct row *rows; // stb_ds array; the first is the header
};

static void row_finish(struct row *row)
{
    for (size_t f = 0; f < arrlenu(row->fields); f++)
        free(row->fields[f]);
    arrfree(row->fields);
}

static void table_finish(struct table *table)
{
    for (size_t r = 0; r < arrlenu(table->rows); r++)
        row_finish(&table->rows[r]);
    arrfree(table->rows);
}

// Removes the next field and its separator from the front of REST: in quotes, where a doubled quote is one, or up to
// the separator. *MORE says whether another field follows; NULL if the quotes do not end.
static char *take_field(struct span *rest, char separator, bool *more)
{
    char *field = xcalloc(rest->size + 1, 1);
    size_t length = 0, at = 0;
    while (at < rest->size && rest->at[at] == ' ')
        at++;
    bool quoted = at < rest->size && rest->at[at] == '"';
    for (at += quoted; at < rest->size; at++) {
        bool quote = rest->at[at] == '"', doubled = quote && at + 1 < rest->size && rest->at[at + 1] == '"';
        if (quoted && quote && !doubled) {
            quoted = false;
        } else if (!quoted && rest->at[at] == separator) {
            break;
        } else {
            field[length++] = rest->at[at];
            at += quoted && doubled;
        }
    }
    *more = at < rest->size;
    rest->at += at + *more, rest->size -= at + *more;
    if (quoted) {
        free(field);
        field = NULL;
    }
    return field;
}

static bool read_row(struct row *row, struct span line, char separator)
{
    bool more = true, blank = true;
    while (more) {
        char *field = take_field(&line, separator, &more);
        if (!field)
            return SCAN_WRONG(row->line, "quotes do not end in this line");
        blank = blank && !span_trim(span_of(field)).size;
        arrput(row->fields, field);
    }
    if (blank) // as spreadsheets write below a table
        row_finish(row);
    return true;
}

static bool is_utf8(struct span line)
{
    json_t *text = json_stringn(line.at, line.size);
    json_decref(text);
    return text && !memchr(line.at, 0, line.size);
}

// Excel begins a table with such a line, which it does not show.
static bool names_separator(struct span line, char *separator)
{
    if (!span_begins(line, "sep=") || line.size > 5)
        return false;
    *separator = line.size == 5 ? line.at[4] : '\t'; // a tab, which the end of a line loses
    return strchr(";,\t", *separator);
}

// Lines with # are comments above the header; below it they may begin with an id like #1.
static bool read_table(struct table *table, const char *data, size_t size)
{
    struct scan scan = { .rest = { data, size } };
    struct span line;
    while (scan_line(&scan, &line)) {
        struct row row = { .line = scan.line };
        if (!is_utf8(line))
            return SCAN_WRONG(scan.line, "the table is not UTF-8 text; save it as CSV UTF-8");
        if (!line.size || (line.at[0] == '#' && !table->rows))
            continue;
        if (!table->separator && names_separator(line, &table->separator))
            continue;
        if (!table->separator)
            table->separator = memchr(line.at, ';', line.size) ? ';' : memchr(line.at, '\t', line.size) ? '\t' : ',';
        while (line.at > data && (line.at[-1] == table->separator || line.at[-1] == ' ')) // tabs: empty first fields
            line.at--, line.size++;
        if (!read_row(&row, line, table->separator)) {
            row_finish(&row);
            return false;
        }
        if (row.fields)
            arrput(table->rows, row);
    }
    return true;
}

// The scalars that are given in place of a column.
static double given(const struct mdam_read_options *options, const char *key)
{
    const struct {
        const char *key;
        double value;
    } list[] = { { "capacity", options->capacity }, { "vehicles", options->vehicles },
        { "max_length", options->max_length }, { "min_prize", options->min_prize } };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (!strcmp(list[i].key, key))
            return list[i].value;
    }
    return 0;
}

// The index of a column, or -1.
static ptrdiff_t find(const struct table *table, const char *name)
{
    char **header = table->rows[0].fields;
    for (ptrdiff_t f = 0; f < arrlen(header); f++) {
        if (span_is(span_trim(span_of(header[f])), name))
            return f;
    }
    return -1;
}

static const char *field_of(const struct row *row, ptrdiff_t column)
{
    return column >= 0 && column < arrlen(row->fields) ? row->fields[column] : "";
}

// By the columns there are.
static const struct problem *guess(const struct table *table)
{
    if (find(table, "demand") >= 0)
        return &problem_cvrp;
    if (find(table, "penalty") >= 0)
        return &problem_pctsp;
    return find(table, "prize") >= 0 ? &problem_op : &problem_tsp;
}

static bool check_header(const struct table *table, const struct problem *problem, bool lonlat)
{
    char **header = table->rows[0].fields;
    for (size_t f = 0; f < arrlenu(header); f++) {
        char name[40];
        struct span word = span_trim(span_of(header[f]));
        snprintf(name, sizeof name, "%.*s", (int)word.size, word.at);
        for (char *c = name; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        bool coordinate = span_is(word, lonlat ? "lon" : "x") || span_is(word, lonlat ? "lat" : "y");
        if (!coordinate && !span_is(word, "id") && !problem_column(problem, name))
            return SCAN_WRONG(table->rows[0].line, "the column \"%s\" is not supported for %s", name, problem->name);
        if (find(table, name) != (ptrdiff_t)f)
            return SCAN_WRONG(table->rows[0].line, "the column \"%s\" appears twice", name);
    }
    return true;
}

static bool is_number(struct span word, double expected)
{
    double number;
    return span_real(word, &number) && number == expected;
}

// 52,5 instead of 52.5
static bool has_decimal_comma(struct span word)
{
    char *point = xformat("%.*s", (int)word.size, word.at), *comma = strchr(point, ',');
    double number;
    if (comma)
        *comma = '.';
    const bool has = comma && span_real(span_of(point), &number);
    free(point);
    return has;
}

static bool check_points(const struct table *table, const struct row *row)
{
    const ptrdiff_t id = find(table, "id");
    for (ptrdiff_t f = 0; f < arrlen(row->fields); f++) {
        const struct span word = span_trim(span_of(row->fields[f]));
        if (f != id && has_decimal_comma(word))
            return SCAN_WRONG(row->line, "\"%.*s\" is not a number: numbers need a decimal point", SPAN_SHOWN(word));
    }
    return true;
}

// Nothing that a row says is ignored: no field is beyond the header, the depot's row has no values of customers, and a
// scalar that other rows repeat is the same there.
static bool check_rows(const struct table *table, const struct problem *problem)
{
    const size_t columns = arrlenu(table->rows[0].fields);
    for (size_t r = 1; r < arrlenu(table->rows); r++) {
        const struct row *row = &table->rows[r];
        for (size_t f = columns; f < arrlenu(row->fields); f++) {
            if (span_trim(span_of(row->fields[f])).size)
                return SCAN_WRONG(row->line, "%zu fields, but the header has %zu", arrlenu(row->fields), columns);
        }
        if (!check_points(table, row))
            return false;
        FOR_COLUMNS(column, problem)
        {
            const ptrdiff_t at = find(table, column->key);
            const struct span word = span_trim(span_of(field_of(row, at)));
            double first;
            if (!word.size)
                continue;
            if (column->per_node && problem->has_depot && r == 1 && !is_number(word, 0))
                return SCAN_WRONG(row->line, "the first row is the depot, which has no %s", column->key);
            if (!column->per_node && r > 1 &&
                !(span_real(span_trim(span_of(field_of(&table->rows[1], at))), &first) && is_number(word, first)))
                return SCAN_WRONG(row->line, "%s is not that of the first row, which holds for all", column->key);
        }
    }
    return true;
}

static bool read_number(const struct row *row, const struct table *table, const char *name, double *number)
{
    ptrdiff_t column = find(table, name);
    struct span word = span_trim(span_of(field_of(row, column)));
    if (!word.size)
        return SCAN_WRONG(row->line, "%s is required", name);
    return span_real(word, number) || SCAN_WRONG(row->line, "%s \"%.*s\" is not a number", name, SPAN_SHOWN(word));
}

static bool read_point(const struct row *row, const struct table *table, bool lonlat, struct point *point)
{
    return read_number(row, table, lonlat ? "lon" : "x", &point->x) &&
           read_number(row, table, lonlat ? "lat" : "y", &point->y);
}

// A number, if that is how it is written: 007 and +7 are other ids than 7.
static void set_id(struct node_id *id, const char *field)
{
    struct span word = span_trim(span_of(field));
    char number[24] = "";
    if (span_integer(word, &id->number))
        snprintf(number, sizeof number, "%lld", (long long)id->number);
    if (!span_is(word, number))
        id->text = xformat("%.*s", (int)word.size, word.at);
}

static bool read_ids(const struct table *table, const struct row *nodes, struct instance *instance)
{
    ptrdiff_t column = find(table, "id");
    if (column < 0)
        return true;
    instance->ids = xcalloc(instance->n, sizeof *instance->ids);
    for (uint32_t i = 0; i < instance->n; i++) {
        if (!span_trim(span_of(field_of(&nodes[i], column))).size)
            return SCAN_WRONG(nodes[i].line, "id is required");
        set_id(&instance->ids[i], field_of(&nodes[i], column));
    }
    if (instance->problem->has_depot && span_trim(span_of(field_of(&nodes[-1], column))).size) {
        instance->has_depot_id = true;
        set_id(&instance->depot_id, field_of(&nodes[-1], column));
    }
    return true;
}

// A column of customers, or a scalar from the first row. Absent optional ones have their default.
static bool read_column(const struct table *table, const struct row *nodes, const struct instance *instance,
    const struct column *column, double *values)
{
    const char *key = column->key;
    bool ok = true;
    if (column->optional && (find(table, key) < 0 || !*field_of(&table->rows[1], find(table, key)))) {
        if (column->like && find(table, key) < 0)
            memcpy(values, instance_values(instance, problem_column(instance->problem, column->like)),
                instance->n * sizeof *values);
        else if (!column->per_node)
            *values = column->fallback;
        if (!column->per_node || find(table, key) < 0)
            return true;
    }
    if (!column->per_node && find(table, key) < 0)
        return SCAN_WRONG(table->rows[0].line, "%s is required, as a column or as an option", key);
    if (!column->per_node)
        return read_number(&table->rows[1], table, key, values);
    for (uint32_t i = 0; ok && i < instance->n; i++)
        ok = read_number(&nodes[i], table, key, &values[i]);
    return ok;
}

static bool read_columns(const struct table *table, const struct row *nodes, const struct mdam_read_options *options,
    struct instance *instance)
{
    double capacity = 0, *demand = xcalloc(instance->n, sizeof *demand);
    bool ok = true;
    FOR_COLUMNS(column, instance->problem)
    {
        bool load = column->unit == UNIT_LOAD;
        double *values = !load ? instance_values(instance, column) : column->per_node ? demand : &capacity;
        if (given(options, column->key) > 0)
            *values = given(options, column->key);
        else
            ok = ok && read_column(table, nodes, instance, column, values);
    }
    ok = ok && (!instance->demand || instance_set_demands(instance, demand, capacity));
    free(demand);
    return ok;
}

// Checks that given values fit the problem and are not in the table, too.
static bool check_given(
    const struct table *table, const struct problem *problem, const struct mdam_read_options *options)
{
    static const char *const keys[] = { "capacity", "vehicles", "max_length", "min_prize" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!(given(options, keys[i]) > 0))
            continue;
        if (!problem_column(problem, keys[i]))
            return fail_field(FAULT_INPUT, keys[i], "%s has none", problem->name);
        if (find(table, keys[i]) >= 0)
            return fail_field(FAULT_INPUT, keys[i], "the table has a column of this name");
    }
    return true;
}

static bool fill(const struct table *table, const struct problem *problem, const struct mdam_read_options *options,
    struct instance *instance)
{
    const size_t rows = arrlenu(table->rows), first = 1 + problem->has_depot;
    const bool lonlat = find(table, "lon") >= 0;
    if (!check_header(table, problem, lonlat) || !check_given(table, problem, options))
        return false;
    if (rows <= first)
        return SCAN_WRONG(
            table->rows[rows - 1].line, "there are no nodes%s", problem->has_depot ? " after the depot" : "");
    if (rows - first > INSTANCE_NODES_MAX)
        return SCAN_WRONG(table->rows[0].line, "more than %d nodes are not read", INSTANCE_NODES_MAX);
    if (!check_rows(table, problem))
        return false;
    const struct row *nodes = &table->rows[first];
    instance_init(instance, problem, (uint32_t)(rows - first));
    instance->layout = LAYOUT_NAMES;
    instance->coordinates = lonlat ? COORDINATES_LONLAT : COORDINATES_PLANE;
    instance->open = options->open;
    bool ok = !problem->has_depot || read_point(&nodes[-1], table, lonlat, &instance->depot);
    for (uint32_t i = 0; ok && i < instance->n; i++)
        ok = read_point(&nodes[i], table, lonlat, &instance->nodes[i]);
    return ok && read_columns(table, nodes, options, instance) && read_ids(table, nodes, instance) &&
           instance_check(instance);
}

bool csv_parse(const char *data, size_t size, const struct mdam_read_options *options, struct instance *instance)
{
    static const struct mdam_read_options none;
    options = options ? options : &none;
    const struct problem *problem = options->problem ? problem_by_name(options->problem) : NULL;
    *instance = (struct instance){ 0 };
    struct table table = { 0 };
    bool ok = read_table(&table, data, size) && (arrlen(table.rows) || SCAN_WRONG(1ul, "the file is empty"));
    ok = ok && fill(&table, problem ? problem : guess(&table), options, instance);
    table_finish(&table);
    if (!ok)
        instance_finish(instance);
    return ok;
}
