// A problem that only the tests have: an open route from the depot, at most max_stops customers, each reached by its
// due; a fine for everyone left out.
#ifndef TESTS_SEVENTH_ERRAND_H
#define TESTS_SEVENTH_ERRAND_H

#include "problem/problem.h"

extern const struct problem problem_errand;

#endif
