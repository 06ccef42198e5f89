#ifndef TESTS_PROBLEM_SUITES_H
#define TESTS_PROBLEM_SUITES_H

#include <munit.h>

extern MunitTest problem_describe_tests[];
extern MunitTest problem_metric_tests[];
extern MunitTest problem_plot_tests[];
extern MunitTest problem_route_text_tests[];
extern MunitTest problem_tsplib_tests[];

#endif
