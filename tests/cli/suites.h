#ifndef TESTS_CLI_SUITES_H
#define TESTS_CLI_SUITES_H

#include <munit.h>

extern MunitTest cli_flags_tests[];
extern MunitTest cli_outputs_tests[];

#endif
