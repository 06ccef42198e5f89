#include "format/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "archive/pickle.h"
#include "format/fill.h"
#include "util/error.h"
#include "util/json_text.h"

#define KEYS_MAX 3

// Keys after depot and nodes.
static const struct layout_of {
    const struct problem *problem;
    const char *keys[KEYS_MAX + 1];
} layouts[] = {
    { &problem_tsp, { NULL } },
    { &problem_cvrp, { "demand", "capacity" } },
    { &problem_sdvrp, { "demand", "capacity" } },
    { &problem_op, { "prize", "max_length" } },
    { &problem_pctsp, { "penalty", "prize", "real_prize" } },
    { &problem_spctsp, { "penalty", "prize", "real_prize" } },
};

static const struct layout_of *layout_of(const struct problem *problem)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (layouts[i].problem == problem)
            return &layouts[i];
    }
    fail(FAULT_INPUT, "there are no such data sets of %s", problem->name);
    return NULL;
}

static size_t fields_of(const struct layout_of *layout)
{
    size_t count = 2;
    while (layout->keys[count - 2])
        count++;
    return count;
}

// --- reading -------------------------------------------------------------------------------------------------------

struct item {
    const struct pickle_value *value;
    const struct layout_of *layout;
};

static bool is_list(const struct pickle_value *value)
{
    return value && (value->kind == PICKLE_LIST || value->kind == PICKLE_TUPLE);
}

static size_t length(const struct pickle_value *list)
{
    return !is_list(list) ? 0 : list->kind == PICKLE_LIST ? arrlenu(list->items) : list->count;
}

static const struct pickle_value *element(const struct pickle_value *list, size_t i)
{
    return i < length(list) ? list->items[i] : NULL;
}

static const struct pickle_value *field_of(const struct item *item, const char *key)
{
    if (!strcmp(key, "nodes"))
        return item->layout->problem->has_depot ? element(item->value, 1) : item->value;
    if (!strcmp(key, "depot"))
        return element(item->value, 0);
    for (size_t i = 0; item->layout->keys[i]; i++) {
        if (!strcmp(item->layout->keys[i], key))
            return element(item->value, 2 + i);
    }
    return NULL;
}

static bool has(const void *user, const char *key)
{
    return field_of(user, key);
}

static bool get(const void *user, const char *key, uint64_t i, double *number)
{
    const struct item *item = user;
    const struct pickle_value *field = field_of(item, key), *value = field;
    bool nodes = !strcmp(key, "nodes");
    if (nodes)
        value = element(element(field, i / 2), i % 2);
    else if (is_list(field))
        value = element(field, i);
    if (value && value->kind == PICKLE_REAL)
        *number = value->real;
    else if (value && value->kind == PICKLE_INTEGER)
        *number = (double)value->integer;
    else
        return fail(FAULT_INPUT, "/%s/%llu: %s instead of a number", key, (unsigned long long)(nodes ? i / 2 : i),
            pickle_describe(value));
    return true;
}

static const struct problem *guess(const struct pickle_value *first)
{
    if (!is_list(element(element(first, 1), 0)))
        return &problem_tsp;
    if (length(first) == 5)
        return &problem_pctsp;
    const struct pickle_value *third = element(element(first, 2), 0);
    return third && third->kind == PICKLE_INTEGER ? &problem_cvrp : &problem_op;
}

// Lists are as long as they should be; what they hold is seen when it is read.
static bool check_item(const struct item *item, uint64_t *n)
{
    const struct problem *problem = item->layout->problem;
    size_t fields = fields_of(item->layout);
    const struct pickle_value *nodes = field_of(item, "nodes");
    *n = length(nodes);
    if (!is_list(item->value) || !is_list(nodes))
        return fail(FAULT_INPUT, "%s instead of %s", pickle_describe(is_list(item->value) ? nodes : item->value),
            problem->has_depot ? "depot, nodes and their columns" : "a list of nodes");
    if (problem->has_depot && length(item->value) != fields)
        return fail(FAULT_INPUT, "%zu fields instead of the %zu of %s", length(item->value), fields, problem->name);
    if (*n > INSTANCE_NODES_MAX)
        return fail(FAULT_INPUT, "/nodes: more than %d nodes are not read", INSTANCE_NODES_MAX);
    for (size_t i = 0; i < *n; i++) {
        if (length(element(nodes, i)) != 2)
            return fail(FAULT_INPUT, "/nodes/%zu: not [x, y]", i);
    }
    FOR_COLUMNS(column, problem)
    {
        const struct pickle_value *field = field_of(item, column->key);
        if (field && column->per_node && length(field) != *n)
            return fail(
                FAULT_INPUT, "/%s: %zu values for %llu nodes", column->key, length(field), (unsigned long long)*n);
    }
    return true;
}

static bool read_list(
    const struct pickle_value *root, const struct problem *problem, size_t max_count, struct instance **instances)
{
    struct item item;
    if (root->kind != PICKLE_LIST)
        return fail(FAULT_INPUT, "%s instead of a list of instances", pickle_describe(root));
    if (!length(root))
        return fail(FAULT_INPUT, "there is no instance in it");
    item.layout = layout_of(problem ? problem : guess(element(root, 0)));
    for (size_t i = 0; item.layout && i < length(root) && arrlenu(*instances) < max_count; i++) {
        struct instance instance;
        uint64_t n;
        item.value = element(root, i);
        const struct number_source source = { &item, has, get };
        if (!check_item(&item, &n) || !instance_fill(&instance, item.layout->problem, (uint32_t)n, &source))
            return fail_within("instance %zu", i + 1);
        arrput(*instances, instance);
    }
    return item.layout;
}

// Pickles of protocol 2 and newer.
bool dataset_begins(const char *data, size_t size)
{
    return size >= 2 && data[0] == '\x80' && data[1] >= 2 && data[1] <= 5;
}

bool instances_from_dataset(
    const char *data, size_t size, const struct problem *problem, size_t max_count, struct instance **instances)
{
    struct pickle pickle;
    const struct pickle_value *root;
    if (!dataset_begins(data, size))
        return fail(FAULT_INPUT, "not a pickle of protocol 2 or newer");
    pickle_init(&pickle, data, size);
    bool ok = pickle_read(&pickle, &root) && read_list(root, problem, max_count, instances);
    pickle_finish(&pickle);
    return ok;
}

// --- writing -------------------------------------------------------------------------------------------------------

static void add_number(struct text *p, double number, bool integer)
{
    unsigned char bytes[9];
    if (integer) {
        uint32_t whole = (uint32_t)(int32_t)number;
        bytes[0] = 'J';
        for (int i = 0; i < 4; i++)
            bytes[1 + i] = (unsigned char)(whole >> 8 * i);
        text_add_bytes(p, bytes, 5);
        return;
    }
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bytes[0] = 'G';
    for (int i = 0; i < 8; i++)
        bytes[1 + i] = (unsigned char)(bits >> 8 * (7 - i));
    text_add_bytes(p, bytes, 9);
}

static void add_point(struct text *p, struct point point)
{
    text_add_bytes(p, "](", 2);
    add_number(p, point.x, false);
    add_number(p, point.y, false);
    text_add_bytes(p, "e", 1);
}

// Demands are integers: readers tell the problem by that.
static bool check_writable(const struct instance *instance)
{
    for (uint32_t i = 0; instance->demand && i < instance->n; i++) {
        double demand = instance_demand(instance, i);
        if (demand != floor(demand) || demand > INT32_MAX)
            return fail(FAULT_INPUT, "/demand/%u: %.15g is not a whole number, as such files have", i, demand);
    }
    const struct column *min_prize = problem_column(instance->problem, "min_prize");
    if (min_prize && instance_value(instance, min_prize, INSTANCE_WIDE) != min_prize->fallback)
        return json_fail_key("min_prize", "such files have none, and it is not 1");
    return true;
}

static void add_column(struct text *p, const struct instance *instance, const char *key)
{
    const struct column *column = problem_column(instance->problem, key);
    if (!column) // the real prize where there is only the expected one
        column = problem_column(instance->problem, "prize");
    if (!column->per_node) {
        add_number(p, instance_value(instance, column, INSTANCE_WIDE), false);
        return;
    }
    text_add_bytes(p, "](", 2);
    for (uint32_t i = 0; i < instance->n; i++)
        add_number(p, instance_value(instance, column, i), column->unit == UNIT_LOAD);
    text_add_bytes(p, "e", 1);
}

static void add_instance(struct text *p, const struct instance *instance, const struct layout_of *layout)
{
    if (instance->problem->has_depot) {
        text_add_bytes(p, "(", 1);
        add_point(p, instance->depot);
    }
    text_add_bytes(p, "](", 2);
    for (uint32_t i = 0; i < instance->n; i++)
        add_point(p, instance->nodes[i]);
    text_add_bytes(p, "e", 1);
    for (size_t i = 0; layout->keys[i]; i++)
        add_column(p, instance, layout->keys[i]);
    if (instance->problem->has_depot)
        text_add_bytes(p, "t", 1);
}

bool instances_to_dataset(struct text *file, const struct instance *list, size_t count)
{
    if (!count)
        return fail(FAULT_INPUT, "there is no instance to write");
    const struct layout_of *layout = layout_of(list->problem);
    text_add_bytes(file, "\x80\2](", 4);
    for (size_t i = 0; layout && i < count; i++) {
        if (list[i].problem != list->problem)
            return fail(FAULT_INPUT, "instance %zu: %s among instances of %s; a data set has one problem", i + 1,
                list[i].problem->name, list->problem->name);
        if (!check_writable(&list[i]))
            return fail_within("instance %zu", i + 1);
        add_instance(file, &list[i], layout);
    }
    text_add_bytes(file, "e.", 2);
    return layout;
}
