#include "format/geo.h"

#include <jansson.h>
#include <stb/stb_ds.h>
#include <stdlib.h>

#include "problem/metric.h"
#include "util/alloc.h"
#include "util/json_text.h"

// A route as positions: with the depot at both ends, unless it is open, or closed without a depot. Calls PUT with the
// customer (0..n-1) of each, or UINT32_MAX for the depot.
static void walk(const struct instance *instance, const struct route *route,
    void (*put)(void *user, const struct instance *instance, uint32_t customer), void *user)
{
    const size_t count = arrlenu(route->stops);
    const bool depot = instance->problem->has_depot, closed = !instance_is_open(instance);
    if (depot)
        put(user, instance, UINT32_MAX);
    for (size_t s = 0; s < count; s++)
        put(user, instance, route->stops[s] - 1);
    if (closed && (depot || count > 1))
        put(user, instance, depot ? UINT32_MAX : route->stops[0] - 1);
}

static struct point point_of(const struct instance *instance, uint32_t customer)
{
    return customer == UINT32_MAX ? instance->depot : instance->nodes[customer];
}

// --- GeoJSON ------------------------------------------------------------------------------------------------------

static json_t *position(struct point point)
{
    json_t *pair = json_array();
    json_array_append_new(pair, json_real(point.x));
    json_array_append_new(pair, json_real(point.y));
    return pair;
}

static void put_position(void *user, const struct instance *instance, uint32_t customer)
{
    json_array_append_new(user, position(point_of(instance, customer)));
}

static json_t *id_value(const struct node_id *id)
{
    return id->text ? json_any_text(id->text) : json_integer(id->number);
}

static json_t *customer_value(const struct instance *instance, uint32_t i)
{
    return instance->ids ? id_value(&instance->ids[i]) : json_integer((json_int_t)i + 1);
}

static json_t *feature(const char *kind, json_t *coordinates, json_t *properties)
{
    json_t *geometry = json_object(), *object = json_object();
    json_object_set_new(geometry, "type", json_string(kind));
    json_object_set_new(geometry, "coordinates", coordinates);
    json_object_set_new(object, "type", json_string("Feature"));
    json_object_set_new(object, "geometry", geometry);
    json_object_set_new(object, "properties", properties);
    return object;
}

static json_t *route_feature(const struct instance *instance, const struct route *route, size_t number)
{
    json_t *line = json_array(), *properties = json_object(), *stops = json_array();
    walk(instance, route, put_position, line);
    for (size_t s = 0; s < arrlenu(route->stops); s++)
        json_array_append_new(stops, customer_value(instance, route->stops[s] - 1));
    json_object_set_new(properties, "route", json_integer((json_int_t)number));
    json_object_set_new(properties, "stops", stops);
    return feature("LineString", line, properties);
}

// The number of the route (from 1) that visits each customer last; 0: none.
static size_t *routes_of_customers(const struct instance *instance, const struct solution *solution)
{
    size_t *routes = xcalloc(instance->n, sizeof *routes);
    for (size_t r = 0; r < arrlenu(solution->routes); r++) {
        for (size_t s = 0; s < arrlenu(solution->routes[r].stops); s++)
            routes[solution->routes[r].stops[s] - 1] = r + 1;
    }
    return routes;
}

void geojson_write(struct text *text, const struct instance *instance, const struct solution *solution)
{
    json_t *features = json_array(), *collection = json_object();
    size_t *routes = routes_of_customers(instance, solution);
    for (size_t r = 0; r < arrlenu(solution->routes); r++)
        json_array_append_new(features, route_feature(instance, &solution->routes[r], r + 1));
    if (instance->problem->has_depot) {
        json_t *properties = json_object();
        json_object_set_new(properties, "depot", json_true());
        if (instance->has_depot_id)
            json_object_set_new(properties, "id", id_value(&instance->depot_id));
        json_array_append_new(features, feature("Point", position(instance->depot), properties));
    }
    for (uint32_t i = 0; i < instance->n; i++) {
        json_t *properties = json_object();
        json_object_set_new(properties, "id", customer_value(instance, i));
        json_object_set_new(properties, "route", routes[i] ? json_integer((json_int_t)routes[i]) : json_null());
        json_array_append_new(features, feature("Point", position(instance->nodes[i]), properties));
    }
    json_object_set_new(collection, "type", json_string("FeatureCollection"));
    json_object_set_new(collection, "features", features);
    char *line = json_dumps(collection, JSON_COMPACT | JSON_REAL_PRECISION(15));
    text_add(text, "%s\n", line);
    free(line);
    free(routes);
    json_decref(collection);
}

// --- GPX ----------------------------------------------------------------------------------------------------------

static void add_point(struct text *text, const char *element, const struct instance *instance, uint32_t customer)
{
    char label[LABEL_SIZE];
    struct point point = point_of(instance, customer);
    text_add(text, "<%s lat=\"%.8f\" lon=\"%.8f\"><name>", element, point.y, point.x);
    if (customer != UINT32_MAX)
        text_add_xml(text, instance_label(instance, customer, label), LABEL_SIZE);
    else if (instance->has_depot_id && instance->depot_id.text)
        text_add_xml(text, instance->depot_id.text, LABEL_SIZE);
    else
        text_add(text, "depot");
    text_add(text, "</name></%s>\n", element);
}

static void put_route_point(void *user, const struct instance *instance, uint32_t customer)
{
    add_point(user, "rtept", instance, customer);
}

void gpx_write(struct text *text, const struct instance *instance, const struct solution *solution)
{
    size_t *routes = routes_of_customers(instance, solution);
    text_add(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"mdam-vk\" "
                   "xmlns=\"http://www.topografix.com/GPX/1/1\">\n");
    for (uint32_t i = 0; i < instance->n; i++) {
        if (!routes[i])
            add_point(text, "wpt", instance, i);
    }
    for (size_t r = 0; r < arrlenu(solution->routes); r++) {
        text_add(text, "<rte><name>route %zu</name>\n", r + 1);
        walk(instance, &solution->routes[r], put_route_point, text);
        text_add(text, "</rte>\n");
    }
    text_add(text, "</gpx>\n");
    free(routes);
}
