// Writes instances, solutions and verdicts as JSON.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "format/json.h"
#include "problem/metric.h"
#include "problem/reason.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/json_text.h"

// Digits of objectives: enough for all given ones, but without the rounding errors of doubles.
#define DIGITS 15

static void add_json_with(struct text *text, json_t *value, size_t flags)
{
    char *line = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | flags);
    if (!line)
        bug("a JSON value cannot be written");
    text_add(text, "%s", line);
    free(line);
    json_decref(value);
}

static void add_json(struct text *text, json_t *value)
{
    add_json_with(text, value, JSON_REAL_PRECISION(DIGITS));
}

// Adds the members without the braces.
static void add_members(struct text *text, json_t *object)
{
    add_json_with(text, object, JSON_REAL_PRECISION(DIGITS) | JSON_EMBED);
}

static json_t *id_value(const struct node_id *id)
{
    return id->text ? json_any_text(id->text) : json_integer(id->number);
}

// JSON has no infinities and no NaN.
static json_t *real_value(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

static json_t *customer(const struct instance *instance, uint32_t i)
{
    return instance->ids && i < instance->n ? id_value(&instance->ids[i]) : json_integer((uint32_t)(i + 1));
}

static void add_point(struct text *text, struct point point)
{
    text_add(text, "[");
    text_add_real(text, point.x);
    text_add(text, ",");
    text_add_real(text, point.y);
    text_add(text, "]");
}

static void add_column(struct text *text, const struct instance *instance, const struct column *column)
{
    double number = column->per_node ? 0 : instance_value(instance, column, 0);
    if (column->unit == UNIT_COUNT || column->unit == UNIT_NODE) {
        if (number > 0) { // given
            text_add(text, ",\"%s\":", column->key);
            add_json(text, column->unit == UNIT_NODE ? customer(instance, (uint32_t)number - 1)
                                                     : json_integer((json_int_t)number));
        }
        return;
    }
    text_add(text, ",\"%s\":%s", column->key, column->per_node ? "[" : "");
    for (uint32_t i = 0; i < (column->per_node ? instance->n : 1); i++) {
        text_add(text, "%s", i ? "," : "");
        text_add_real(text, instance_value(instance, column, i));
    }
    text_add(text, "%s", column->per_node ? "]" : "");
}

static void add_ids(struct text *text, const struct instance *instance)
{
    if (instance->ids) {
        json_t *ids = json_array();
        for (uint32_t i = 0; i < instance->n; i++)
            json_array_append_new(ids, id_value(&instance->ids[i]));
        text_add(text, ",\"ids\":");
        add_json(text, ids);
    }
    if (instance->has_depot_id) {
        text_add(text, ",\"depot_id\":");
        add_json(text, id_value(&instance->depot_id));
    }
}

static void add_points(struct text *text, const struct instance *instance)
{
    if (instance->problem->has_depot) {
        text_add(text, ",\"depot\":");
        add_point(text, instance->depot);
    }
    text_add(text, ",\"nodes\":[");
    for (uint32_t i = 0; i < instance->n; i++) {
        text_add(text, "%s", i ? "," : "");
        add_point(text, instance->nodes[i]);
    }
    text_add(text, "]");
}

static void add_distances(struct text *text, const struct instance *instance)
{
    const uint32_t N = instance_nodes(instance);
    text_add(text, ",\"distances\":[");
    for (uint32_t v = 0; v < N; v++) {
        for (uint32_t w = 0; w < N; w++) {
            text_add(text, "%s", w ? "," : v ? "],[" : "[");
            text_add_real(text, instance->distances[(size_t)v * N + w]);
        }
    }
    text_add(text, "]]");
}

// Writes the shortest numbers that read back the same, which jansson cannot do.
void instance_to_json(struct text *text, const struct instance *instance)
{
    text_add(text, "{\"problem\":\"%s\"", instance->problem->name);
    if (instance->name) {
        text_add(text, ",\"name\":");
        add_json(text, json_any_text(instance->name));
    }
    if (instance->coordinates == COORDINATES_LONLAT)
        text_add(text, ",\"coordinates\":\"lonlat\"");
    if (instance->coordinates != COORDINATES_NONE)
        add_points(text, instance);
    if (instance->distances)
        add_distances(text, instance);
    if (instance->open)
        text_add(text, ",\"open\":true");
    FOR_COLUMNS(column, instance->problem)
    add_column(text, instance, column);
    add_ids(text, instance);
    text_add(text, "}\n");
}

static json_t *routes_value(const struct instance *instance, const struct solution *solution)
{
    json_t *routes = json_array();
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        const struct route *route = &solution->routes[r];
        json_t *stops = json_array();
        for (ptrdiff_t s = 0; s < arrlen(route->stops); s++)
            json_array_append_new(stops, customer(instance, route->stops[s] - 1));
        json_array_append_new(routes, stops);
    }
    return routes;
}

// Writes the shortest number that reads back the same, so that parts still add up.
static void add_amount(struct text *text, const struct instance *instance, double amount)
{
    size_t digits = DIGITS;
    for (char number[32]; digits < 17; digits++) {
        snprintf(number, sizeof number, "%.*g", (int)digits, amount);
        if (strtod(number, NULL) == amount)
            break;
    }
    add_json_with(text, instance->demand_scale == 1 ? json_integer((json_int_t)amount) : json_real(amount),
        JSON_REAL_PRECISION(digits));
}

// Writes the amounts parallel to the routes, if there are any.
static void add_deliveries(struct text *text, const struct instance *instance, const struct solution *solution)
{
    double *amounts = solution_amounts(instance, solution), *next = amounts;
    if (!amounts)
        return;
    text_add(text, ",\"deliveries\":[");
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        text_add(text, "%s[", r ? "," : "");
        for (ptrdiff_t s = 0; s < arrlen(solution->routes[r].amounts); s++) {
            text_add(text, "%s", s ? "," : "");
            add_amount(text, instance, *next++);
        }
        text_add(text, "]");
    }
    text_add(text, "]");
    arrfree(amounts);
}

// Customers that no route visits, and the reason of each.
static void set_unvisited(json_t *object, const struct instance *instance, const struct solution *solution)
{
    bool *visited = xcalloc((size_t)instance->n + 1, sizeof *visited), exist = true;
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        for (ptrdiff_t s = 0; s < arrlen(solution->routes[r].stops); s++) {
            uint32_t stop = solution->routes[r].stops[s];
            visited[instance_has_stop(instance, stop) ? stop : 0] = true;
            exist = exist && instance_has_stop(instance, stop);
        }
    }
    json_t *list = json_array(), *whys = json_array();
    struct reasons reasons = { 0 };
    if (exist)
        reasons_init(&reasons, instance, solution);
    for (uint32_t i = 0; i < instance->n; i++) {
        if (visited[i + 1])
            continue;
        json_array_append_new(list, customer(instance, i));
        json_array_append_new(whys, json_string(exist ? reasons_find(&reasons, i) : "unknown"));
    }
    reasons_finish(&reasons);
    free(visited);
    json_object_set_new(object, "unvisited", list);
    json_object_set_new(object, "reasons", whys);
}

static void set_text(json_t *object, const char *key, const char *value)
{
    if (value)
        json_object_set_new(object, key, json_any_text(value));
}

static void set_origin(json_t *object, const struct solution_origin *origin)
{
    if (origin->decode) {
        if (!origin->undecoded)
            json_object_set_new(object, "decoder", json_integer(origin->decoder));
        set_text(object, "decode", origin->decode);
    }
    if (origin->beam)
        json_object_set_new(object, "beam", json_integer(origin->beam));
    if (origin->samples)
        json_object_set_new(object, "samples", json_integer(origin->samples));
    if (origin->augment)
        json_object_set_new(object, "augment", json_integer(origin->augment));
    if (origin->improve) {
        set_text(object, "improve", origin->improve);
        json_object_set_new(object, "constructed", real_value(origin->constructed));
        set_text(object, "origin", origin->origin);
    }
    set_text(object, "model", origin->model);
    set_text(object, "device", origin->device);
    if (origin->device)
        json_object_set_new(object, "seconds", real_value(origin->seconds));
    if (origin->has_hindsight)
        json_object_set_new(object, "hindsight", json_boolean(origin->hindsight));
}

void solution_to_json(struct text *text, const struct instance *instance, const struct solution *solution,
    const struct verdict *verdict, const struct solution_origin *origin)
{
    static const struct solution_origin unknown;
    origin = origin ? origin : &unknown;
    json_t *object = json_object(), *rest = json_object(), *warnings = json_array();
    json_object_set_new(object, "problem", json_string(instance->problem->name));
    if (origin->instance)
        json_object_set_new(object, "instance", json_integer((json_int_t)origin->instance));
    set_text(object, "name", instance->name);
    json_object_set_new(object, "objective", real_value(verdict->objective));
    if (verdict->has_rounded)
        json_object_set_new(object, "objective_rounded", real_value(verdict->rounded));
    json_object_set_new(object, "routes", routes_value(instance, solution));
    json_object_set_new(rest, "feasible", json_boolean(verdict->feasible));
    if (problem_may_leave_out(instance->problem)) {
        set_unvisited(rest, instance, solution);
        json_object_set_new(rest, "prize", real_value(verdict->prize));
        json_object_set_new(rest, "length", real_value(verdict->length));
        json_object_set_new(rest, "penalty", real_value(verdict->penalty));
    }
    set_origin(rest, origin);
    for (ptrdiff_t i = 0; i < arrlen(instance->warnings); i++)
        json_array_append_new(warnings, json_any_text(instance->warnings[i]));
    for (size_t i = 0; i < origin->warning_count; i++)
        json_array_append_new(warnings, json_any_text(origin->warnings[i]));
    json_object_set_new(rest, "warnings", warnings);
    text_add(text, "{");
    add_members(text, object);
    add_deliveries(text, instance, solution);
    text_add(text, ",");
    add_members(text, rest);
    text_add(text, "}\n");
}

void verdict_to_json(struct text *text, const struct verdict *verdict)
{
    json_t *object = json_object();
    json_object_set_new(object, "feasible", json_boolean(verdict->feasible));
    json_object_set_new(object, "objective", real_value(verdict->objective));
    json_object_set_new(object, "violation", verdict->feasible ? json_null() : json_any_text(verdict->violation));
    if (verdict->has_rounded)
        json_object_set_new(object, "objective_rounded", real_value(verdict->rounded));
    struct text warning = { 0 };
    if (verdict->rounded_too_long)
        text_add(&warning, "the length limit is met only with unrounded distances");
    if (verdict->rounded_route) {
        text_add(&warning, "%s", warning.size ? "; " : "");
        verdict_rounded_warning(&warning, verdict);
    }
    if (verdict->false_claim)
        text_add(
            &warning, "%sthe solution's file states the objective %.10g", warning.size ? "; " : "", verdict->claim);
    set_text(object, "warning", warning.data);
    text_finish(&warning);
    add_json(text, object);
    text_add(text, "\n");
}
