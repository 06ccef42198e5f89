#ifndef TESTS_UTIL_SUITES_H
#define TESTS_UTIL_SUITES_H

#include <munit.h>

extern MunitTest util_error_tests[];
extern MunitTest util_file_tests[];
extern MunitTest util_hash_tests[];
extern MunitTest util_rng_tests[];
extern MunitTest util_scan_tests[];
extern MunitTest util_spelling_tests[];
extern MunitTest util_statistics_tests[];
extern MunitTest util_text_tests[];

#endif
