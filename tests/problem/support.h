// Instances and solutions typed as JSON, for the tests of problems.
#ifndef TESTS_PROBLEM_SUPPORT_H
#define TESTS_PROBLEM_SUPPORT_H

#include "expect.h"

#include "problem/problem.h"

// Fails the test when it cannot be read.
struct instance instance_of(const char *json);
struct solution solution_of(const struct instance *instance, const char *json);

// A solution and the judge's expected result; a table ends where routes is NULL.
struct expected {
    const char *solution;
    double objective;      // NAN: none
    const char *violation; // NULL: feasible
};

void expect_verdicts(const char *instance_json, const struct expected *table);

// The instance reads, and its warnings are these, up to NULL.
void expect_warnings(const char *instance_json, const char *const *warnings);

#endif
