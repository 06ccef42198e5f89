#include "tests/env/support.h"

static char *names[] = { "tsp", "cvrp", "sdvrp", "op", "pctsp", "spctsp", NULL };
MunitParameterEnum test_problems[] = { { "problem", names }, { "target", test_target_names }, { NULL, NULL } };
