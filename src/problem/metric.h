// Distances as the file formats define them. Planning uses METRIC_EUCLID whatever the file says.
#ifndef PROBLEM_METRIC_H
#define PROBLEM_METRIC_H

#include "problem/problem.h"

// An integer, except for METRIC_EUCLID.
double metric_distance(enum metric metric, struct point a, struct point b);

const char *metric_name(enum metric metric); // as files spell it

#endif
