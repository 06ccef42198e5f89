// Solutions for maps. The instance has longitudes and latitudes.
#ifndef FORMAT_GEO_H
#define FORMAT_GEO_H

#include "problem/problem.h"
#include "util/text.h"

// A collection of a line for each route and a point for the depot and for each customer.
void geojson_write(struct text *text, const struct instance *instance, const struct solution *solution);

// A route (rte) for each route, and a waypoint for each customer that no route visits.
void gpx_write(struct text *text, const struct instance *instance, const struct solution *solution);

#endif
