// The tests of commands that open a device.
#ifndef TESTS_CLI_ON_DEVICE_H
#define TESTS_CLI_ON_DEVICE_H

#include <munit.h>

extern MunitTest cli_bench_tests[];
extern MunitTest cli_decoding_tests[];
extern MunitTest cli_devices_tests[];
extern MunitTest cli_eval_tests[];
extern MunitTest cli_solve_tests[];
extern MunitTest cli_solve_broken_tests[];

#endif
