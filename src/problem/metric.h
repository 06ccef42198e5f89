// Distances between nodes: those that an instance is planned and judged with, and those that file formats define and
// that are only reported.
#ifndef PROBLEM_METRIC_H
#define PROBLEM_METRIC_H

#include "problem/problem.h"

// Returns an integer, except for METRIC_EUCLID.
double metric_distance(enum metric metric, struct point a, struct point b);

const char *metric_name(enum metric metric); // as spelled in files

// Kilometres between two pairs of longitude and latitude, on a sphere with the earth's mean radius.
double great_circle(struct point a, struct point b);

// Nodes have an index: the depot's is 0 where there is one, and customer i (0..n-1) has the i-th behind it.
uint32_t instance_nodes(const struct instance *instance);
uint32_t instance_node(const struct instance *instance, uint32_t i);

// The length of the leg from node V to node W in the user's units.
double instance_distance(const struct instance *instance, uint32_t v, uint32_t w);

// The position of node V for the network and for pictures.
struct point instance_position(const struct instance *instance, uint32_t v);

// Sets `plane` where the coordinates are none.
void instance_project(struct instance *instance);

// Whether routes end at their last stop. A tour from `start` to another `end` does.
bool instance_is_open(const struct instance *instance);

#endif
