// Tests register themselves: a file of tests ends with SUITE("/folder/stem", tests), and support/main.c runs all suites
// that are linked into a program.
#ifndef TESTS_SUPPORT_SUITE_H
#define TESTS_SUPPORT_SUITE_H

#include <stdbool.h>

#include <munit.h>

// TESTS is an array of MunitTest that ends with a zeroed one. At most one SUITE and one SUITE_LONG in a file.
#define SUITE(prefix, tests)      SUITE_ADD(prefix, tests, false)
#define SUITE_LONG(prefix, tests) SUITE_ADD(prefix, tests, true) // runs only with "long" as the program's first word

#define SUITE_ADD(prefix, tests, is_long)                                                                              \
    __attribute__((constructor)) static void register_##tests(void)                                                    \
    {                                                                                                                  \
        suite_add(prefix, tests, is_long);                                                                             \
    }
void suite_add(const char *prefix, MunitTest *tests, bool is_long);

// Parameters for tests that run for every problem; MunitTest.parameters.
extern MunitParameterEnum every_problem[];
extern char *test_problem_names[]; // ends with NULL

#endif
