// Reads instances from JSON.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "format/json.h"
#include "problem/ids.h"
#include "problem/metric.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/json_text.h"
#include "util/spelling.h"

// Keys of every instance. The columns of its problem come in addition: those of nodes as an array under the key, or
// inside the nodes' objects.
static const char *const common_keys[] = { "problem", "name", "depot", "nodes", "ids", "depot_id", "coordinates",
    "distances", "open" };
enum { COMMON_KEYS = sizeof common_keys / sizeof *common_keys };

static bool is_common(const char *name)
{
    for (size_t i = 0; i < COMMON_KEYS; i++) {
        if (!strcmp(common_keys[i], name))
            return true;
    }
    return false;
}

// Returns the column of that key, of the given problem if it has one, else of any problem.
static const struct column *find_column(const char *name, const struct problem *own)
{
    const struct column *found = own ? problem_column(own, name) : NULL;
    for (const struct problem *const *problem = problems; !found && *problem; problem++)
        found = problem_column(*problem, name);
    return found;
}

// Keys of other programs' instances that this one does not know: refused by name, not ignored.
static const struct {
    const char *key, *sentence;
} refused[] = {
    { "time_windows", "time windows are not supported" },
    { "time_window", "time windows are not supported" },
    { "service_time", "service times are not supported" },
    { "service_times", "service times are not supported" },
    { "skills", "skills are not supported" },
    { "depots", "several depots are not supported" },
    { "capacities", "vehicles of different capacities are not supported" },
    { "pickups", "pickups are not supported" },
    { "deliveries", "pickups and deliveries are not supported; demands are \"demand\"" },
    { "priority", "priorities are not supported" },
    { "durations", "durations are not supported, only distances" },
    { "max_duration", "limits on the duration of routes are not supported" },
    { "precedence", "orders of precedence are not supported" },
    { "breaks", "breaks are not supported" },
};

static bool fail_unknown(const char *name, bool in_node)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (!strcmp(refused[i].key, name))
            return json_fail_key(name, refused[i].sentence);
    }
    struct spelling spelling = { .word = name, .length = strlen(name) };
    for (size_t i = 0; i < COMMON_KEYS && !in_node; i++)
        spelling_consider(&spelling, common_keys[i]);
    for (const struct problem *const *problem = problems; *problem; problem++) {
        FOR_COLUMNS(column, *problem)
        {
            if (column->per_node || !in_node)
                spelling_consider(&spelling, column->key);
        }
    }
    char sentence[64] = "unknown key";
    if (spelling.nearest)
        snprintf(sentence, sizeof sentence, "unknown key; did you mean %s?", spelling.nearest);
    return json_fail_key(name, sentence);
}

static bool fail_unowned(const char *key, const struct problem *problem)
{
    char sentence[64];
    snprintf(sentence, sizeof sentence, "%s has no %s", problem->name, key);
    return json_fail_key(key, sentence);
}

static bool check_keys(json_t *object, const struct problem *problem, bool objects)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        const struct column *column = find_column(name, problem);
        if (!column && !is_common(name))
            return fail_unknown(name, false);
        if ((column && !problem_column(problem, name)) || (!strcmp(name, "depot") && !problem->has_depot))
            return fail_unowned(name, problem);
        if (!strcmp(name, "depot") && !json_object_get(object, "nodes"))
            return json_fail_key(name, "nodes are given without coordinates, so the depot has none");
        if (objects && (column ? column->per_node : !strcmp(name, "ids")))
            return json_fail_key(name, "belongs into the nodes, which are objects");
    }
    return true;
}

// Tells users with degrees what to do with them.
static const char degrees[] = "unknown key without \"coordinates\": \"lonlat\", beside which lon and lat are known";

static bool is_degrees(const char *name)
{
    static const char *const names[] = { "lat", "lon", "lng", "long", "latitude", "longitude" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!strcasecmp(name, names[i]))
            return true;
    }
    return false;
}

static bool is_coordinate(const char *name, bool lonlat)
{
    return !strcmp(name, "x") || !strcmp(name, "y") || (lonlat && (!strcmp(name, "lon") || !strcmp(name, "lat")));
}

// PROBLEM is NULL for the depot, which has no columns.
static bool check_node_keys(json_t *node, const struct problem *problem, bool lonlat)
{
    const char *name;
    json_t *value;
    json_object_foreach(node, name, value)
    {
        const struct column *column = find_column(name, problem);
        bool known = (problem && column && column->per_node) || is_coordinate(name, lonlat) || !strcmp(name, "id");
        if (!known)
            return is_degrees(name) && !lonlat ? json_fail_key(name, degrees) : fail_unknown(name, true);
        if (column && !problem_column(problem, name))
            return fail_unowned(name, problem);
    }
    return true;
}

// Reads the number at /<key> of OBJECT.
static bool read_number(json_t *object, const char *key, double *number)
{
    json_t *value = json_object_get(object, key);
    if (!value)
        return json_fail_key(key, "missing");
    return json_number(value, number) || fail(FAULT_INPUT, "/%s: must be a number, not %s", key, json_kind(value));
}

static bool read_point(json_t *value, struct point *point)
{
    bool named = json_object_get(value, "lon") || json_object_get(value, "lat");
    if (json_is_object(value))
        return read_number(value, named ? "lon" : "x", &point->x) && read_number(value, named ? "lat" : "y", &point->y);
    if (!json_is_array(value))
        return fail(FAULT_INPUT, "must be [x, y], not %s", json_kind(value));
    if (json_array_size(value) != 2)
        return fail(FAULT_INPUT, "must be [x, y], not %zu value%s", json_array_size(value),
            json_array_size(value) == 1 ? "" : "s");
    for (size_t k = 0; k < 2; k++) {
        json_t *number = json_array_get(value, k);
        if (!json_number(number, k ? &point->y : &point->x))
            return fail(FAULT_INPUT, "/%zu: must be a number, not %s", k, json_kind(number));
    }
    return true;
}

static bool read_id(json_t *value, struct node_id *id)
{
    if (json_is_integer(value)) {
        id->number = json_integer_value(value);
        return true;
    }
    if (!json_is_string(value))
        return fail(FAULT_INPUT, "must be a string or an integer, not %s", json_kind(value));
    if (!*json_string_value(value))
        return fail(FAULT_INPUT, "an empty id");
    id->text = xstrdup(json_string_value(value));
    return true;
}

static bool read_depot(json_t *object, struct instance *instance)
{
    json_t *depot = json_object_get(object, "depot"), *id = json_object_get(object, "depot_id");
    const char *id_pointer = "/depot_id";
    bool lonlat = instance->coordinates == COORDINATES_LONLAT;
    if (instance->problem->has_depot && instance->coordinates != COORDINATES_NONE) {
        if (!depot)
            return json_fail_key("depot", "missing");
        if ((json_is_object(depot) && !check_node_keys(depot, NULL, lonlat)) || !read_point(depot, &instance->depot))
            return json_fail_below("/depot");
        json_t *own = json_object_get(depot, "id");
        if (own && id)
            return json_fail_key("depot_id", "the depot's object also has an id");
        if (own) {
            id = own;
            id_pointer = "/depot/id";
        }
    }
    instance->has_depot_id = id;
    return !id || read_id(id, &instance->depot_id) || json_fail_below("%s", id_pointer);
}

static bool read_nodes(json_t *nodes, struct instance *instance)
{
    bool objects = instance->layout == LAYOUT_OBJECTS, lonlat = instance->coordinates == COORDINATES_LONLAT;
    bool located = instance->coordinates != COORDINATES_NONE;
    for (uint32_t i = 0; nodes && i < instance->n; i++) {
        json_t *node = json_array_get(nodes, i);
        bool ok = json_is_object(node) == objects || fail(FAULT_INPUT, "%s is not like the other nodes, which are %s",
                                                         json_kind(node), objects ? "objects" : "arrays");
        if (!ok || (objects && !check_node_keys(node, instance->problem, lonlat)) ||
            (located && !read_point(node, &instance->nodes[i])))
            return json_fail_below("/nodes/%u", i);
    }
    return true;
}

// Returns a column's value for node I in either layout; NULL if the column is absent.
static json_t *value_at(json_t *object, const struct instance *instance, const char *column, uint32_t i)
{
    if (instance->layout == LAYOUT_OBJECTS)
        return json_object_get(
            json_array_get(json_object_get(object, "nodes"), i), strcmp(column, "ids") ? column : "id");
    return json_array_get(json_object_get(object, column), i);
}

static bool is_present(json_t *object, const struct instance *instance, const char *column)
{
    return instance->layout == LAYOUT_OBJECTS ? value_at(object, instance, column, 0) != NULL
                                              : json_object_get(object, column) != NULL;
}

static bool check_column(json_t *object, const struct instance *instance, const char *column)
{
    if (instance->layout == LAYOUT_OBJECTS)
        return true;
    json_t *array = json_object_get(object, column);
    if (!array)
        return json_fail_key(column, "missing");
    if (!json_is_array(array))
        return fail(FAULT_INPUT, "/%s: must be an array, not %s", column, json_kind(array));
    if (json_array_size(array) != instance->n)
        return fail(FAULT_INPUT, "/%s: %zu value%s for %u node%s", column, json_array_size(array),
            json_array_size(array) == 1 ? "" : "s", instance->n, instance->n == 1 ? "" : "s");
    return true;
}

static bool read_column(json_t *object, const struct instance *instance, const char *column, double *numbers)
{
    if (!check_column(object, instance, column))
        return false;
    for (uint32_t i = 0; i < instance->n; i++) {
        json_t *value = value_at(object, instance, column, i);
        if (!value)
            return instance_fail(instance, column, i, "missing");
        if (!json_number(value, &numbers[i]))
            return instance_fail(instance, column, i, "must be a number, not %s", json_kind(value));
    }
    return true;
}

static bool read_ids(json_t *object, struct instance *instance)
{
    bool present = is_present(object, instance, "ids");
    if (!present && instance->layout == LAYOUT_COLUMNS)
        return true;
    if (!check_column(object, instance, "ids"))
        return false;
    if (present)
        instance->ids = xcalloc(instance->n, sizeof *instance->ids);
    for (uint32_t i = 0; i < instance->n; i++) {
        json_t *value = value_at(object, instance, "ids", i);
        if (!value != !present)
            return instance_fail(
                instance, "ids", i, present ? "is required" : "must be absent, because /nodes/0 has none");
        if (value && !read_id(value, &instance->ids[i])) {
            char *sentence = xstrdup(error_text());
            instance_fail(instance, "ids", i, "%s", sentence);
            free(sentence);
            return false;
        }
    }
    return true;
}

// Reads loads: the column and the scalar together.
static bool read_loads(json_t *object, struct instance *instance)
{
    double capacity = 0, *demand = xcalloc(instance->n, sizeof *demand);
    bool ok = true;
    FOR_COLUMNS(column, instance->problem)
    {
        if (column->unit == UNIT_LOAD && ok)
            ok = column->per_node ? read_column(object, instance, column->key, demand)
                                  : read_number(object, column->key, &capacity);
    }
    ok = ok && instance_set_demands(instance, demand, capacity);
    free(demand);
    return ok;
}

static bool read_count(json_t *object, const char *key, double *count)
{
    if (!read_number(object, key, count))
        return false;
    return *count >= 1 || fail(FAULT_INPUT, "/%s: %.15g is not a whole number from 1 up", key, *count);
}

// Nodes by their ids where they have some.
static bool read_node(json_t *object, const struct instance *instance, const char *key, double *number)
{
    struct node_id id = { 0 };
    struct id_index index;
    if (!read_id(json_object_get(object, key), &id))
        return json_fail_below("/%s", key);
    id_index_init(&index, instance);
    *number = id_index_find(&index, &id);
    bool ok = *number > 0;
    if (!ok && id.text)
        fail(FAULT_INPUT, "/%s: no node has the id \"%.60s\"", key, id.text);
    else if (!ok)
        fail(FAULT_INPUT, "/%s: there is no node %lld", key, (long long)id.number);
    id_index_finish(&index);
    free(id.text);
    return ok;
}

static bool read_one(json_t *object, struct instance *instance, const struct column *column)
{
    double *values = instance_values(instance, column);
    bool present =
        column->per_node ? is_present(object, instance, column->key) : json_object_get(object, column->key) != NULL;
    if (!present && column->like) {
        memcpy(values, instance_values(instance, problem_column(instance->problem, column->like)),
            instance->n * sizeof *values);
        return true;
    }
    if (!present && column->optional) {
        *values = column->fallback;
        return true;
    }
    if (column->unit == UNIT_NODE)
        return read_node(object, instance, column->key, values);
    if (column->unit == UNIT_COUNT)
        return read_count(object, column->key, values);
    return column->per_node ? read_column(object, instance, column->key, values)
                            : read_number(object, column->key, values);
}

// Reads the keys that name nodes, or the others.
static bool read_columns(json_t *object, struct instance *instance, bool of_nodes)
{
    if (instance->demand && !of_nodes && !read_loads(object, instance))
        return false;
    FOR_COLUMNS(column, instance->problem)
    {
        if (column->unit != UNIT_LOAD && (column->unit == UNIT_NODE) == of_nodes && !read_one(object, instance, column))
            return false;
    }
    return true;
}

static bool read_distances(json_t *rows, struct instance *instance)
{
    const uint32_t N = instance_nodes(instance);
    if (!rows)
        return true;
    if (json_array_size(rows) != N)
        return fail(FAULT_INPUT, "/distances: %zu rows for %u nodes%s", json_array_size(rows), N,
            instance->problem->has_depot ? ", the depot included" : "");
    if (instance->n > INSTANCE_DISTANCES_MAX)
        return fail(
            FAULT_INPUT, "/distances: %u nodes; a matrix is read for up to %d", instance->n, INSTANCE_DISTANCES_MAX);
    instance->distances = xcalloc((size_t)N * N, sizeof *instance->distances);
    for (uint32_t v = 0; v < N; v++) {
        json_t *row = json_array_get(rows, v);
        if (json_is_array(row) && json_array_size(row) != N)
            return fail(FAULT_INPUT, "/distances/%u: %zu number%s for %u nodes", v, json_array_size(row),
                json_array_size(row) == 1 ? "" : "s", N);
        if (!json_is_array(row))
            return fail(FAULT_INPUT, "/distances/%u: %s instead of an array of %u numbers", v, json_kind(row), N);
        for (uint32_t w = 0; w < N; w++) {
            double *number = &instance->distances[(size_t)v * N + w];
            json_t *value = json_array_get(row, w);
            if (!json_number(value, number))
                return fail(FAULT_INPUT, "/distances/%u/%u: %s instead of a number", v, w, json_kind(value));
            if (!(*number >= 0))
                return fail(FAULT_INPUT, "/distances/%u/%u: %.15g is negative", v, w, *number);
        }
    }
    return true;
}

// Reads the kind of the coordinates, and whether routes are open.
static bool read_modes(json_t *object, struct instance *instance)
{
    json_t *kind = json_object_get(object, "coordinates"), *open = json_object_get(object, "open");
    json_t *first = json_array_get(json_object_get(object, "nodes"), 0);
    const char *word = json_string_value(kind);
    bool lonlat = word && !strcmp(word, "lonlat");
    if (kind && !lonlat && !(word && !strcmp(word, "plane")))
        return json_fail_key("coordinates", "neither \"plane\" nor \"lonlat\"");
    if (open && !json_is_boolean(open))
        return fail(FAULT_INPUT, "/open: %s instead of true or false", json_kind(open));
    bool located = json_object_get(first, "x") || json_object_get(first, "lon") || json_is_array(first);
    instance->open = json_is_true(open);
    instance->coordinates = lonlat ? COORDINATES_LONLAT : COORDINATES_PLANE;
    if (json_object_get(object, "distances") && !located) {
        if (kind)
            return json_fail_key("coordinates", "nodes have none");
        instance->coordinates = COORDINATES_NONE;
    }
    return true;
}

static const struct problem *read_problem(json_t *object)
{
    json_t *name = json_object_get(object, "problem");
    if (!json_is_string(name)) {
        fail(FAULT_INPUT, "/problem: must be the name of a problem, not %s", json_kind(name));
        return NULL;
    }
    const struct problem *problem = problem_expected(json_string_value(name));
    if (!problem)
        fail_within("/problem");
    return problem;
}

static bool read_instance(json_t *object, struct instance *instance)
{
    if (!json_is_object(object))
        return fail(FAULT_INPUT, "must be an instance object, not %s%s", json_kind(object),
            json_is_array(object) ? "; write a list as {\"instances\": [..]}, or one object per line" : "");
    const struct problem *problem = read_problem(object);
    if (!problem)
        return false;
    json_t *nodes = json_object_get(object, "nodes"), *name = json_object_get(object, "name");
    bool objects = json_is_object(json_array_get(nodes, 0));
    if (!check_keys(object, problem, objects))
        return false;
    json_t *distances = json_object_get(object, "distances");
    if (distances && !json_is_array(distances))
        return fail(FAULT_INPUT, "/distances: %s instead of an array", json_kind(distances));
    if (!json_is_array(nodes) && (nodes || !distances))
        return fail(FAULT_INPUT, "/nodes: must be an array, not %s", json_kind(nodes));
    if (!nodes && json_array_size(distances) <= problem->has_depot)
        return fail(FAULT_INPUT, "/distances: there are no nodes%s", problem->has_depot ? " besides the depot" : "");
    if (json_array_size(nodes ? nodes : distances) > INSTANCE_NODES_MAX)
        return fail(FAULT_INPUT, "/nodes: must have at most %d nodes", INSTANCE_NODES_MAX);
    if (name && !json_is_string(name))
        return fail(FAULT_INPUT, "/name: must be a string, not %s", json_kind(name));
    size_t count = nodes ? json_array_size(nodes) : json_array_size(distances) - problem->has_depot;
    instance_init(instance, problem, (uint32_t)count);
    instance->layout = objects ? LAYOUT_OBJECTS : LAYOUT_COLUMNS;
    instance->name = name ? xstrdup(json_string_value(name)) : NULL;
    return read_modes(object, instance) && read_depot(object, instance) && read_nodes(nodes, instance) &&
           read_columns(object, instance, false) && read_ids(object, instance) &&
           read_columns(object, instance, true) && read_distances(distances, instance) && instance_check(instance);
}

static bool add_instance(json_t *object, struct instance **instances)
{
    struct instance instance = { 0 };
    if (!read_instance(object, &instance)) {
        instance_finish(&instance);
        return false;
    }
    arrput(*instances, instance);
    return true;
}

// Adds one instance, or {"instances": [..]}.
static bool add_value(json_t *value, size_t max_count, struct instance **instances)
{
    json_t *list = json_object_get(value, "instances");
    if (!list)
        return add_instance(value, instances);
    if (json_object_size(value) != 1)
        return fail(FAULT_INPUT, "/instances: accepts no other keys beside it");
    if (!json_is_array(list))
        return fail(FAULT_INPUT, "/instances: must be an array, not %s", json_kind(list));
    if (json_array_size(list) == 0)
        return fail(FAULT_INPUT, "/instances: must not be empty");
    for (size_t i = 0; i < json_array_size(list) && arrlenu(*instances) < max_count; i++) {
        if (!add_instance(json_array_get(list, i), instances))
            return json_fail_below("/instances/%zu", i);
    }
    return true;
}

bool instances_from_json(const char *data, size_t size, size_t max_count, struct instance **instances)
{
    struct json_text text;
    json_text_init(&text, data, size);
    size_t before = arrlenu(*instances);
    while (arrlenu(*instances) < max_count) {
        json_t *value;
        if (!json_text_next(&text, &value))
            return false;
        if (!value)
            return arrlenu(*instances) > before || fail(FAULT_INPUT, "has no instances");
        bool ok = add_value(value, max_count, instances);
        json_decref(value);
        if (!ok)
            return json_text_fail(&text);
    }
    return true;
}
