#ifndef UTIL_STATISTICS_H
#define UTIL_STATISTICS_H

#include <stddef.h>

double mean_of(const double *values, size_t count);
double standard_error(const double *values, size_t count); // of the mean; 0 for a single value

// Returns the probability that Student's t with DF degrees of freedom is at most T.
double student_below(double t, double df);

// One-sided paired test: returns the probability of a mean of a - b this low if a is not lower than b; 1 for fewer than
// two pairs.
double paired_test(const double *a, const double *b, size_t count);

#endif
