#ifndef TESTS_PROBLEM_SUITES_H
#define TESTS_PROBLEM_SUITES_H

#include "expect.h"

// Every file of tests that needs no device: <stem>.c defines problem_<stem>_tests.
#define PROBLEM_SUITES(X)                                                                                              \
    X(check)                                                                                                           \
    X(cvrp)                                                                                                            \
    X(deliver)                                                                                                         \
    X(demand)                                                                                                          \
    X(describe)                                                                                                        \
    X(files)                                                                                                           \
    X(generate)                                                                                                        \
    X(json_read)                                                                                                       \
    X(json_solution)                                                                                                   \
    X(json_text)                                                                                                       \
    X(json_write)                                                                                                      \
    X(kool)                                                                                                            \
    X(metric)                                                                                                          \
    X(op)                                                                                                              \
    X(pctsp)                                                                                                           \
    X(plot)                                                                                                            \
    X(plot_label)                                                                                                      \
    X(plot_name)                                                                                                       \
    X(route_text)                                                                                                      \
    X(scale)                                                                                                           \
    X(sdvrp)                                                                                                           \
    X(tsp)                                                                                                             \
    X(tsplib)

#define PROBLEM_DECLARE(stem) extern MunitTest problem_##stem##_tests[];
PROBLEM_SUITES(PROBLEM_DECLARE)

#endif
