#include "format/fill.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/json_text.h"

static bool fill_points(struct instance *instance, const struct number_source *source)
{
    struct point *depot = &instance->depot;
    bool has_depot = instance->problem->has_depot;
    if (has_depot && !source->has(source->user, "depot"))
        return json_fail_key("depot", "missing");
    if (has_depot &&
        (!source->get(source->user, "depot", 0, &depot->x) || !source->get(source->user, "depot", 1, &depot->y)))
        return false;
    for (uint32_t i = 0; i < instance->n; i++) {
        struct point *node = &instance->nodes[i];
        if (!source->get(source->user, "nodes", 2 * (uint64_t)i, &node->x) ||
            !source->get(source->user, "nodes", 2 * (uint64_t)i + 1, &node->y))
            return false;
    }
    return true;
}

static bool fill_column(
    struct instance *instance, const struct column *column, double *values, const struct number_source *source)
{
    const uint32_t count = column->per_node ? instance->n : 1;
    const struct column *like = column->like ? problem_column(instance->problem, column->like) : NULL;
    if (!source->has(source->user, column->key)) {
        if (!column->optional)
            return json_fail_key(column->key, "missing");
        if (like)
            memcpy(values, instance_values(instance, like), count * sizeof *values);
        else
            *values = column->fallback;
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!source->get(source->user, column->key, i, &values[i]))
            return false;
    }
    return true;
}

static bool fill_columns(struct instance *instance, const struct number_source *source)
{
    double capacity = 0, *demand = xcalloc(instance->n, sizeof *demand);
    bool ok = true;
    FOR_COLUMNS(column, instance->problem)
    {
        bool load = column->unit == UNIT_LOAD;
        double *values = !load ? instance_values(instance, column) : column->per_node ? demand : &capacity;
        ok = ok && fill_column(instance, column, values, source);
    }
    ok = ok && (!instance->demand || instance_set_demands(instance, demand, capacity));
    free(demand);
    return ok;
}

bool instance_fill(
    struct instance *instance, const struct problem *problem, uint32_t n, const struct number_source *source)
{
    instance_init(instance, problem, n);
    if (fill_points(instance, source) && fill_columns(instance, source) && instance_check(instance))
        return true;
    instance_finish(instance);
    return false;
}
