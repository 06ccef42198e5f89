// Lists of instances: read, parsed, or built from arrays.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "api/internal.h"
#include "format/files.h"
#include "format/json.h"
#include "problem/metric.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/locale.h"
#include "util/option.h"

void mdam_expect_index(const char *function, size_t index, size_t count)
{
    if (index >= count)
        bug("%s: index %zu of a list of %zu", function, index, count);
}

static void drop(struct instance *list)
{
    for (size_t i = 0; i < arrlenu(list); i++)
        instance_finish(&list[i]);
    arrfree(list);
}

bool mdam_instances_append(struct mdam_instances **list, struct instance *added, bool ok)
{
    if (!ok) {
        drop(added);
        return false;
    }
    if (!*list)
        *list = xcalloc(1, sizeof **list);
    for (size_t i = 0; i < arrlenu(added); i++)
        arrput((*list)->list, added[i]);
    arrfree(added);
    return true;
}

bool mdam_instances_read(struct mdam_instances **list, const char *path, size_t max_count)
{
    return mdam_instances_read_with(list, path, max_count, NULL);
}

bool mdam_instances_read_with(
    struct mdam_instances **list, const char *path, size_t max_count, const struct mdam_read_options *from)
{
    IN_PLAIN_LOCALE;
    struct instance *added = NULL;
    struct mdam_read_options given = { 0 };
    if (!path)
        return fail(FAULT_INTERNAL, "the path of the instances is NULL");
    if ((from && !mdam_options_copy(&given, from)) || !options_check(mdam_options(MDAM_OPTIONS_READ), &given) ||
        (given.problem && !mdam_problem_find(given.problem)))
        return false;
    bool ok = instances_read_as(path, &given, max_count, &added);
    return mdam_instances_append(list, added, ok);
}

bool mdam_instances_write(const struct mdam_instances *list, const char *path)
{
    IN_PLAIN_LOCALE;
    if (!list || !path)
        return fail(FAULT_INTERNAL, "%s is NULL", path ? "the list to be written" : "the path of the instances");
    return instances_write(path, list->list, arrlenu(list->list));
}

bool mdam_instances_parse(struct mdam_instances **list, const char *json, size_t bytes)
{
    IN_PLAIN_LOCALE;
    struct instance *added = NULL;
    if (!json && bytes)
        return fail(FAULT_INTERNAL, "the text of instances is NULL");
    bool ok = instances_from_json(json ? json : "", bytes, SIZE_MAX, &added);
    return mdam_instances_append(list, added, ok);
}

// The API's field for each column: a number, or a pointer to one per customer.
static const struct {
    const char *key;
    size_t at;
} members[] = {
    { "demand", offsetof(struct mdam_instance_data, demand) },
    { "capacity", offsetof(struct mdam_instance_data, capacity) },
    { "prize", offsetof(struct mdam_instance_data, prize) },
    { "real_prize", offsetof(struct mdam_instance_data, real_prize) },
    { "penalty", offsetof(struct mdam_instance_data, penalty) },
    { "min_prize", offsetof(struct mdam_instance_data, min_prize) },
    { "max_length", offsetof(struct mdam_instance_data, max_length) },
    { "vehicles", offsetof(struct mdam_instance_data, vehicles) },
    { "start", offsetof(struct mdam_instance_data, start) },
    { "end", offsetof(struct mdam_instance_data, end) },
};

// Returns the field's values; NULL: absent.
static const double *given(const struct mdam_instance_data *data, const struct column *column)
{
    for (size_t i = 0; column && i < sizeof members / sizeof *members; i++) {
        const char *member = (const char *)data + members[i].at;
        if (!strcmp(members[i].key, column->key))
            return column->per_node ? *(const double *const *)member : (const double *)member;
    }
    return NULL;
}

static bool copy_column(struct instance *instance, const struct mdam_instance_data *data, const struct column *column)
{
    const double *from = given(data, column);
    if (!from && column->like)
        from = given(data, problem_column(instance->problem, column->like));
    if (!from)
        return fail(FAULT_INPUT, "/%s: missing", column->key);
    if (column->unit != UNIT_LOAD)
        memcpy(instance_values(instance, column), from, (column->per_node ? instance->n : 1) * sizeof *from);
    return true;
}

static bool fill(struct instance *instance, const struct mdam_instance_data *data)
{
    const uint32_t n = instance->n, N = instance_nodes(instance);
    const bool located = data->x && data->y;
    if (n && !located && !data->distances)
        return fail(FAULT_INPUT, "/nodes: is required");
    if (data->distances && n > INSTANCE_DISTANCES_MAX)
        return fail(FAULT_INPUT, "/distances: %u nodes; a matrix is read for up to %d", n, INSTANCE_DISTANCES_MAX);
    instance->coordinates = data->coordinates == MDAM_COORDINATES_LONLAT ? COORDINATES_LONLAT : COORDINATES_PLANE;
    instance->open = data->open;
    if (data->distances) {
        instance->distances = xcalloc((size_t)N * N, sizeof *instance->distances);
        memcpy(instance->distances, data->distances, (size_t)N * N * sizeof *instance->distances);
        instance->coordinates = located ? instance->coordinates : COORDINATES_NONE;
    }
    instance->name = data->name ? xstrdup(data->name) : NULL;
    instance->depot = (struct point){ data->depot_x, data->depot_y };
    for (uint32_t i = 0; located && i < n; i++)
        instance->nodes[i] = (struct point){ data->x[i], data->y[i] };
    FOR_COLUMNS(column, instance->problem)
    {
        if (!copy_column(instance, data, column))
            return false;
    }
    if (instance->demand && !instance_set_demands(instance, data->demand, data->capacity))
        return false;
    return instance_check(instance);
}

bool mdam_instances_add(struct mdam_instances **list, const struct mdam_instance_data *from)
{
    IN_PLAIN_LOCALE;
    struct mdam_instance_data data = { 0 };
    if (!mdam_options_copy(&data, from))
        return false;
    const struct problem *problem = problem_expected(data.problem ? data.problem : "");
    if (!problem)
        return fail_within("/problem");
    if (data.n > INSTANCE_NODES_MAX)
        return fail(FAULT_INPUT, "/nodes: must have at most %d nodes", INSTANCE_NODES_MAX);
    struct instance *added = NULL, instance;
    instance_init(&instance, problem, data.n);
    bool ok = fill(&instance, &data);
    arrput(added, instance);
    return mdam_instances_append(list, added, ok);
}

void mdam_instances_free(struct mdam_instances **list)
{
    if (!*list)
        return;
    drop((*list)->list);
    free(*list);
    *list = NULL;
}

size_t mdam_instances_count(const struct mdam_instances *list)
{
    return list ? arrlenu(list->list) : 0;
}

static const struct instance *instance_at(const struct mdam_instances *list, size_t index, const char *function)
{
    mdam_expect_index(function, index, mdam_instances_count(list));
    return &list->list[index];
}

const char *mdam_instance_problem(const struct mdam_instances *list, size_t index)
{
    return instance_at(list, index, __func__)->problem->name;
}

const char *mdam_instance_name(const struct mdam_instances *list, size_t index)
{
    return instance_at(list, index, __func__)->name;
}

bool mdam_instance_is_lonlat(const struct mdam_instances *list, size_t index)
{
    return instance_at(list, index, __func__)->coordinates == COORDINATES_LONLAT;
}

uint32_t mdam_instance_size(const struct mdam_instances *list, size_t index)
{
    return instance_at(list, index, __func__)->n;
}

size_t mdam_instance_warnings(const struct mdam_instances *list, size_t index, const char *const **warnings)
{
    const struct instance *instance = instance_at(list, index, __func__);
    *warnings = (const char *const *)instance->warnings;
    return arrlenu(instance->warnings);
}
