// Distances as the file formats define them. The engine always uses METRIC_EUCLID.
#ifndef PROBLEM_METRIC_H
#define PROBLEM_METRIC_H

#include "problem/problem.h"

// Returns an integer, except for METRIC_EUCLID.
double metric_distance(enum metric metric, struct point a, struct point b);

const char *metric_name(enum metric metric); // as spelled in files

#endif
