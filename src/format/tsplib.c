#include "format/tsplib.h"

#include <math.h>
#include <stb/stb_ds.h>
#include <stdlib.h>

#include "format/tsplib_draft.h"
#include "problem/metric.h"
#include "problem/problem.h"
#include "util/alloc.h"

// A type of file: its problem, required keys, and supported metrics.
struct family {
    const char *type;
    const struct problem *problem;
    unsigned keys; // bits of the required keys that not every type has
    unsigned metrics;
    const char *metrics_text;
};

#define BIT(n)  (1u << (n))
#define EVERY   (BIT(KEY_DIMENSION) | BIT(KEY_METRIC) | BIT(KEY_COORDS))
#define ROUTED  (BIT(KEY_CAPACITY) | BIT(KEY_DEMANDS) | BIT(KEY_DEPOT))
#define SCORED  (BIT(KEY_LIMIT) | BIT(KEY_SCORES) | BIT(KEY_DEPOT))
#define ROUNDED BIT(METRIC_EUC_2D)

static const struct family families[] = {
    { "TSP", &problem_tsp, 0, ROUNDED | BIT(METRIC_CEIL_2D) | BIT(METRIC_ATT) | BIT(METRIC_GEO),
        "EUC_2D, CEIL_2D, ATT, GEO or EXPLICIT" },
    { "CVRP", &problem_cvrp, ROUTED, ROUNDED, "EUC_2D or EXPLICIT" },
    { "SDVRP", &problem_sdvrp, ROUTED, ROUNDED, "EUC_2D or EXPLICIT" },
    { "ATSP", &problem_tsp, 0, 0, "EXPLICIT" },
    { "OP", &problem_op, SCORED, ROUNDED | BIT(METRIC_CEIL_2D), "EUC_2D, CEIL_2D or EXPLICIT" },
};
#define FAMILIES (sizeof families / sizeof families[0])

// Finds the type by TYPE, or by the sections if it is absent.
static const struct family *find_family(const struct tsplib_draft *d)
{
    if (!d->line_of[KEY_TYPE])
        return &families[d->line_of[KEY_SCORES] ? 4 : d->line_of[KEY_DEMANDS] ? 1 : 0];
    for (size_t i = 0; i < FAMILIES; i++) {
        if (span_is(d->type, families[i].type))
            return &families[i];
    }
    SCAN_WRONG(
        d->line_of[KEY_TYPE], "TYPE %.*s is not supported; must be TSP, ATSP, CVRP, SDVRP or OP", SPAN_SHOWN(d->type));
    return NULL;
}

static bool is_explicit(const struct tsplib_draft *d)
{
    return span_is(d->metric, "EXPLICIT");
}

static bool check_keys(const struct tsplib_draft *d, const struct family *family)
{
    const unsigned matrix = BIT(KEY_FORMAT) | BIT(KEY_WEIGHTS);
    const unsigned every = is_explicit(d) ? (EVERY & ~BIT(KEY_COORDS)) | matrix : EVERY;
    const unsigned needed = family->keys | every, foreign = (ROUTED | SCORED) & ~needed;
    for (unsigned key = 0; key < KEY_COUNT; key++) {
        if (foreign & BIT(key) && d->line_of[key])
            return SCAN_WRONG(d->line_of[key], "%s does not belong to TYPE %s", tsplib_keyword(key), family->type);
    }
    for (unsigned key = 0; key < KEY_COUNT; key++) {
        if (needed & BIT(key) && !d->line_of[key])
            return SCAN_WRONG(d->lines, "%s is required", tsplib_keyword(key));
    }
    return true;
}

static bool find_metric(const struct tsplib_draft *d, const struct family *family, enum metric *metric)
{
    *metric = METRIC_EUCLID;
    if (is_explicit(d))
        return true;
    for (*metric = METRIC_EUC_2D; *metric <= METRIC_GEO; ++*metric) {
        if (span_is(d->metric, metric_name(*metric)) && family->metrics & BIT(*metric))
            return true;
    }
    return SCAN_WRONG(d->line_of[KEY_METRIC], "EDGE_WEIGHT_TYPE %.*s is not supported for TYPE %s; must be %s",
        SPAN_SHOWN(d->metric), family->type, family->metrics_text);
}

// How a matrix is written: row after row, or column after column, of all of it or of one triangle, with or
// without the diagonal.
struct matrix_format {
    const char *name;
    bool full, upper, diagonal; // else lower
};

static const struct matrix_format *find_format(const struct tsplib_draft *d)
{
    // Columns above the diagonal are rows below it.
    static const struct matrix_format formats[] = {
        { "FULL_MATRIX", .full = true },
        { "UPPER_ROW", .upper = true },
        { "LOWER_COL", .upper = true },
        { "UPPER_DIAG_ROW", .upper = true, .diagonal = true },
        { "LOWER_DIAG_COL", .upper = true, .diagonal = true },
        { "LOWER_ROW" },
        { "UPPER_COL" },
        { "LOWER_DIAG_ROW", .diagonal = true },
        { "UPPER_DIAG_COL", .diagonal = true },
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (span_is(d->format, formats[i].name))
            return &formats[i];
    }
    SCAN_WRONG(d->line_of[KEY_FORMAT],
        "EDGE_WEIGHT_FORMAT %.*s is not read; FULL_MATRIX and UPPER and LOWER rows and "
        "columns, with and without the diagonal, are",
        SPAN_SHOWN(d->format));
    return NULL;
}

// The full matrix, in the order of the file, to be freed.
static double *fill_matrix(const struct tsplib_draft *d)
{
    const struct matrix_format *format = find_format(d);
    const size_t N = (size_t)d->dimension, count = arrlenu(d->weights);
    if (!format)
        return NULL;
    const bool fits = N <= INSTANCE_DISTANCES_MAX + 1;
    const size_t needed = !fits ? 0 : format->full ? N * N : N * (N - 1) / 2 + (format->diagonal ? N : 0);
    if (!fits) {
        SCAN_WRONG(d->line_of[KEY_WEIGHTS], "EDGE_WEIGHT_SECTION: a matrix is read for up to %d nodes",
            INSTANCE_DISTANCES_MAX);
        return NULL;
    }
    if (count != needed) {
        SCAN_WRONG(d->line_of[KEY_WEIGHTS], "EDGE_WEIGHT_SECTION has %zu weight%s instead of %zu for DIMENSION %zu",
            count, count == 1 ? "" : "s", needed, N);
        return NULL;
    }
    double *matrix = xcalloc(N * N, sizeof *matrix);
    const double *next = d->weights;
    for (size_t i = 0; i < N; i++) {
        size_t from = format->full || !format->upper ? 0 : i + !format->diagonal;
        size_t to = format->full || format->upper ? N : i + format->diagonal;
        for (size_t j = from; j < to; j++) {
            double weight = *next++;
            matrix[i * N + j] = weight;
            if (!format->full)
                matrix[j * N + i] = weight;
        }
    }
    return matrix;
}

// Without coordinates nodes have the numbers 1, 2, ... of the matrix.
static void number_nodes(struct tsplib_draft *d)
{
    for (int64_t i = 0; i < d->dimension && i <= INSTANCE_DISTANCES_MAX + 1; i++)
        arrput(d->nodes, ((struct tsplib_row){ .id = i + 1, .line = d->line_of[KEY_WEIGHTS], .index = (uint32_t)i }));
}

// Rows and columns of the instance's nodes, the depot first; rows of the draft know their index in the matrix.
static void set_distances(
    struct instance *instance, const struct tsplib_draft *d, const struct tsplib_row *depot, const double *matrix)
{
    const uint32_t N = instance_nodes(instance), first = instance->problem->has_depot;
    instance->distances = xcalloc((size_t)N * N, sizeof *instance->distances);
    for (uint32_t v = 0; v < N; v++) {
        const size_t row = v < first ? depot->index : d->nodes[v - first].index;
        for (uint32_t w = 0; w < N; w++)
            instance->distances[(size_t)v * N + w] =
                matrix[row * N + (w < first ? depot->index : d->nodes[w - first].index)];
    }
    if (!d->line_of[KEY_COORDS])
        instance->coordinates = COORDINATES_NONE;
}

static int by_id(const void *a, const void *b)
{
    const struct tsplib_row *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
    const struct tsplib_row *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

static void sort(struct tsplib_row *rows, int (*order)(const void *, const void *))
{
    if (arrlen(rows))
        qsort(rows, arrlenu(rows), sizeof rows[0], order);
}

static bool sort_unique(struct tsplib_row *rows)
{
    sort(rows, by_id);
    for (size_t i = 1; i < arrlenu(rows); i++) {
        if (rows[i].id == rows[i - 1].id)
            return SCAN_WRONG(rows[i].line, "node %lld is also in line %lu", (long long)rows[i].id, rows[i - 1].line);
    }
    return true;
}

// Requires every node once, with its value; sorts both sections in the order of the nodes' section.
static bool match_rows(struct tsplib_draft *d, const char *what)
{
    size_t count = arrlenu(d->nodes);
    if (count != (uint64_t)d->dimension)
        return SCAN_WRONG(count ? d->nodes[count - 1].line : d->line_of[KEY_COORDS],
            "NODE_COORD_SECTION has %zu node%s, but DIMENSION is %lld", count, count == 1 ? "" : "s",
            (long long)d->dimension);
    if (!sort_unique(d->nodes) || !sort_unique(d->values))
        return false;
    for (size_t i = 0; what && i < count; i++) {
        const struct tsplib_row *node = &d->nodes[i], *value = i < arrlenu(d->values) ? &d->values[i] : NULL;
        if (!value || value->id > node->id)
            return SCAN_WRONG(node->line, "node %lld has no %s", (long long)node->id, what);
        if (value->id < node->id)
            return SCAN_WRONG(value->line, "node %lld has no coordinates", (long long)value->id);
        if (value->x < 0)
            return SCAN_WRONG(value->line, "%s %.15g is negative", what, value->x);
        d->values[i].index = node->index;
    }
    if (what && arrlenu(d->values) > count)
        return SCAN_WRONG(d->values[count].line, "node %lld has no coordinates", (long long)d->values[count].id);
    sort(d->nodes, by_index);
    sort(d->values, by_index);
    return true;
}

// Removes the depot from the rows, which are then the customers.
static bool take_depot(struct tsplib_draft *d, const char *what, struct tsplib_row *depot)
{
    if (!d->depot_line)
        return SCAN_WRONG(d->line_of[KEY_DEPOT], "DEPOT_SECTION names no depot");
    size_t index = 0, count = arrlenu(d->nodes);
    while (index < count && d->nodes[index].id != d->depot)
        index++;
    if (index == count)
        return SCAN_WRONG(d->depot_line, "the depot %lld has no coordinates", (long long)d->depot);
    if (count == 1)
        return SCAN_WRONG(d->nodes[0].line, "the depot is the only node");
    const struct tsplib_row *value = &d->values[index];
    if (value->x != 0 && d->line_of[KEY_DEMANDS])
        return SCAN_WRONG(value->line, "the %s of the depot must be 0, not %.15g", what, value->x);
    if (value->x != 0)
        arrput(d->warnings, xformat("line %lu: the %s %.15g of the depot is ignored", value->line, what, value->x));
    *depot = d->nodes[index];
    arrdel(d->nodes, index);
    arrdel(d->values, index);
    return true;
}

// Numbers that only repeat the order are not stored; see the header.
static void fill_ids(const struct tsplib_draft *d, struct instance *instance)
{
    bool has_depot = instance->problem->has_depot, plain = true, behind_depot = has_depot && d->depot == 1;
    for (int64_t i = 0; i < instance->n; i++) {
        plain = plain && d->nodes[i].id == i + 1;
        behind_depot = behind_depot && d->nodes[i].id == i + 2;
    }
    if (has_depot && !behind_depot) {
        instance->has_depot_id = true;
        instance->depot_id.number = d->depot;
    }
    if (plain || behind_depot)
        return;
    instance->ids = xcalloc(instance->n, sizeof instance->ids[0]);
    for (uint32_t i = 0; i < instance->n; i++)
        instance->ids[i].number = d->nodes[i].id;
}

static bool fill_demands(const struct tsplib_draft *d, struct instance *instance)
{
    double *demand = xcalloc(instance->n, sizeof *demand);
    bool may_exceed = instance->problem == &problem_sdvrp, ok = true;
    for (uint32_t i = 0; ok && i < instance->n; i++) {
        demand[i] = d->values[i].x;
        if (demand[i] > d->capacity && !may_exceed)
            ok = SCAN_WRONG(d->values[i].line, "the demand %.15g exceeds the capacity %.15g", demand[i], d->capacity);
    }
    ok = ok && instance_set_demands(instance, demand, d->capacity);
    free(demand);
    return ok;
}

// GEO: x is the latitude, y the longitude, in degrees.
static bool check_degrees(const struct tsplib_draft *d)
{
    for (size_t i = 0; i < arrlenu(d->nodes); i++) {
        const struct tsplib_row *row = &d->nodes[i];
        if (fabs(row->x) > 90)
            return SCAN_WRONG(row->line, "the latitude %.15g is beyond 90 degrees", row->x);
        if (fabs(row->y) > 180)
            return SCAN_WRONG(row->line, "the longitude %.15g is beyond 180 degrees", row->y);
    }
    return true;
}

static bool fill(struct tsplib_draft *d, struct instance *instance)
{
    const struct family *family = find_family(d);
    enum metric metric;
    if (!family || !check_keys(d, family) || !find_metric(d, family, &metric) ||
        (metric == METRIC_GEO && !check_degrees(d)))
        return false;
    double *matrix = is_explicit(d) ? fill_matrix(d) : NULL;
    if (is_explicit(d) && !matrix)
        return false;
    if (matrix && !d->line_of[KEY_COORDS])
        number_nodes(d);
    const char *what = d->line_of[KEY_DEMANDS] ? "demand" : d->line_of[KEY_SCORES] ? "score" : NULL;
    struct tsplib_row depot = { 0 };
    if (!match_rows(d, what) || (what && !take_depot(d, what, &depot))) {
        free(matrix);
        return false;
    }

    instance_init(instance, family->problem, (uint32_t)arrlenu(d->nodes));
    instance->layout = LAYOUT_NAMES;
    instance->metric = metric;
    instance->depot = (struct point){ depot.x, depot.y };
    instance->name = d->name;
    instance->warnings = d->warnings;
    d->name = NULL;
    d->warnings = NULL;
    for (uint32_t i = 0; i < instance->n; i++)
        instance->nodes[i] = (struct point){ d->nodes[i].x, d->nodes[i].y };
    if (matrix)
        set_distances(instance, d, &depot, matrix);
    free(matrix);
    fill_ids(d, instance);
    if (metric == METRIC_GEO)
        instance_warn(
            instance, "solved as if degrees were plane coordinates; objective_rounded is the length on the globe");
    if (d->line_of[KEY_DEMANDS])
        instance->vehicles = d->vehicles;
    if (d->line_of[KEY_DEMANDS])
        return fill_demands(d, instance);
    if (d->line_of[KEY_SCORES]) {
        instance->max_length = d->limit;
        for (uint32_t i = 0; i < instance->n; i++)
            instance->prize[i] = d->values[i].x;
    }
    return true;
}

bool tsplib_parse(const char *data, size_t size, struct instance *instance)
{
    *instance = (struct instance){ 0 };
    struct tsplib_draft draft;
    bool ok = tsplib_draft_read(&draft, data, size) && fill(&draft, instance) && instance_check(instance);
    if (!ok)
        instance_finish(instance);
    tsplib_draft_finish(&draft);
    return ok;
}
