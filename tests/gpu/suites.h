#ifndef TESTS_GPU_SUITES_H
#define TESTS_GPU_SUITES_H

#include <munit.h>

extern MunitTest gpu_arena_tests[];
extern MunitTest gpu_arguments_tests[]; // on the host
extern MunitTest gpu_cache_tests[];
extern MunitTest gpu_cmd_tests[];
extern MunitTest gpu_device_tests[];
extern MunitTest gpu_memory_tests[];
extern MunitTest gpu_profile_tests[];
extern MunitTest gpu_queue_tests[];
extern MunitTest gpu_report_tests[];
extern MunitTest gpu_submit_tests[];

#endif
