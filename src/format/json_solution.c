// Reads solutions from JSON.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "format/json.h"
#include "problem/ids.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/json_text.h"

// Reads a stop: an id, or a number from 1 if customers have no ids. The judge refuses numbers that no customer has, if
// they can be stored.
static bool read_stop(json_t *value, const struct id_index *index, uint32_t *stop)
{
    struct node_id id = { (char *)json_string_value(value), 0 };
    if (!id.text && !json_whole(value, &id.number))
        return fail(FAULT_INPUT, "must be a customer, not %s", json_kind(value));
    *stop = id_index_find(index, &id);
    if (*stop)
        return true;
    if (id.text)
        return fail(FAULT_INPUT, "no customer has the id \"%.60s\"", id.text);
    if (index->order)
        return fail(FAULT_INPUT, "no customer has the id %lld", (long long)id.number);
    if (id.number < 0 || id.number > UINT32_MAX)
        return fail(FAULT_INPUT, "%lld is not a customer number", (long long)id.number);
    *stop = (uint32_t)id.number;
    return true;
}

static bool read_route(json_t *value, const struct id_index *index, struct route *route)
{
    if (!json_is_array(value))
        return fail(FAULT_INPUT, "must be an array of customers, not %s", json_kind(value));
    for (size_t s = 0; s < json_array_size(value); s++) {
        uint32_t stop;
        if (!read_stop(json_array_get(value, s), index, &stop))
            return json_fail_below("/%zu", s);
        arrput(route->stops, stop);
    }
    return true;
}

static bool read_amounts(json_t *value, const struct route *route, double **amounts)
{
    if (!json_is_array(value))
        return fail(FAULT_INPUT, "must be an array of amounts, not %s", json_kind(value));
    if (json_array_size(value) != arrlenu(route->stops))
        return fail(FAULT_INPUT, "%zu amount%s for %zu stop%s", json_array_size(value),
            json_array_size(value) == 1 ? "" : "s", arrlenu(route->stops), arrlenu(route->stops) == 1 ? "" : "s");
    for (size_t s = 0; s < json_array_size(value); s++) {
        double number;
        json_t *amount = json_array_get(value, s);
        if (!json_number(amount, &number))
            return fail(FAULT_INPUT, "/%zu: must be an amount, not %s", s, json_kind(amount));
        arrput(*amounts, number);
    }
    return true;
}

static bool read_deliveries(json_t *deliveries, const struct instance *instance, struct solution *solution)
{
    if (!json_is_array(deliveries))
        return fail(FAULT_INPUT, "/deliveries: must be an array, not %s", json_kind(deliveries));
    if (json_array_size(deliveries) != arrlenu(solution->routes))
        return fail(FAULT_INPUT, "/deliveries: %zu lists for %zu routes", json_array_size(deliveries),
            arrlenu(solution->routes));
    double *amounts = NULL;
    bool ok = true;
    for (size_t r = 0; ok && r < json_array_size(deliveries); r++)
        ok = read_amounts(json_array_get(deliveries, r), &solution->routes[r], &amounts) ||
             json_fail_below("/deliveries/%zu", r);
    ok = ok && (solution_set_amounts(instance, solution, amounts) || json_fail_below("/deliveries"));
    arrfree(amounts);
    return ok;
}

// Ignores other keys, which other solvers may write. A given objective is only compared.
static bool read_solution(json_t *object, const struct instance *instance, struct solution *solution)
{
    if (!json_is_object(object))
        return fail(FAULT_INPUT, "must be a solution object, not %s", json_kind(object));
    json_t *problem = json_object_get(object, "problem"), *routes = json_object_get(object, "routes");
    json_t *deliveries = json_object_get(object, "deliveries");
    if (problem && (!json_is_string(problem) || strcmp(json_string_value(problem), instance->problem->name)))
        return fail(FAULT_INPUT, "/problem: must be %s, as in the instance", instance->problem->name);
    if (!json_is_array(routes))
        return fail(FAULT_INPUT, "/routes: must be an array, not %s", json_kind(routes));
    solution->has_claim = json_number(json_object_get(object, "objective"), &solution->claim);
    struct id_index index;
    id_index_init(&index, instance);
    bool ok = true;
    for (size_t r = 0; ok && r < json_array_size(routes); r++) {
        arrput(solution->routes, ((struct route){ 0 }));
        ok = read_route(json_array_get(routes, r), &index, &solution->routes[r]) || json_fail_below("/routes/%zu", r);
    }
    id_index_finish(&index);
    if (ok && deliveries && instance->demand)
        ok = read_deliveries(deliveries, instance, solution);
    return ok;
}

// Reads the number of each solution's instance, 0 if absent; an stb_ds array.
static bool read_numbers(const char *data, size_t size, uint64_t **numbers)
{
    struct json_text text;
    json_text_init(&text, data, size);
    json_t *value;
    while (json_text_next(&text, &value)) {
        if (!value)
            return true;
        int64_t number;
        bool given = json_whole(json_object_get(value, "instance"), &number) && number > 0;
        arrput(*numbers, given ? (uint64_t)number : 0);
        json_decref(value);
    }
    return false;
}

static bool are_all_different(const uint64_t *numbers, size_t count)
{
    bool *seen = xcalloc(count + 1, sizeof *seen), ok = true;
    for (size_t i = 0; ok && i < arrlenu(numbers); i++) {
        ok = numbers[i] >= 1 && numbers[i] <= count && !seen[numbers[i]];
        if (ok)
            seen[numbers[i]] = true;
    }
    free(seen);
    return ok;
}

// Assigns solutions to instances. If their numbers are valid for this list, they count, and some may be absent.
// Otherwise, e.g. for other solvers or concatenated files, there must be one for each instance, in order.
static bool assign(uint64_t *numbers, size_t count)
{
    if (count > 1 && arrlenu(numbers) && are_all_different(numbers, count))
        return true;
    if (arrlenu(numbers) != count)
        return fail(FAULT_INPUT, "%zu solution%s for %zu instance%s", arrlenu(numbers),
            arrlenu(numbers) == 1 ? "" : "s", count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++)
        numbers[i] = i + 1;
    return true;
}

static bool read_solutions(const char *data, size_t size, const uint64_t *numbers, const struct instance *instances,
    struct solution *solutions)
{
    struct json_text text;
    json_text_init(&text, data, size);
    for (size_t i = 0; i < arrlenu(numbers); i++) {
        json_t *value;
        if (!json_text_next(&text, &value))
            return false;
        size_t index = numbers[i] - 1;
        solutions[index].missing = false;
        bool ok = read_solution(value, &instances[index], &solutions[index]);
        json_decref(value);
        if (!ok)
            return json_text_fail(&text);
    }
    return true;
}

bool solutions_from_json(
    const char *data, size_t size, const struct instance *instances, size_t count, struct solution **solutions)
{
    for (size_t i = 0; i < count; i++)
        arrput(*solutions, ((struct solution){ .missing = true }));
    uint64_t *numbers = NULL;
    bool ok = read_numbers(data, size, &numbers) && assign(numbers, count) &&
              read_solutions(data, size, numbers, instances, *solutions);
    arrfree(numbers);
    return ok;
}
