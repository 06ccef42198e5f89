#include "tests/env/support.h"

static char *names[] = { "tsp", "cvrp", "sdvrp", "op", "pctsp", "spctsp", NULL };
static char *targets[] = { "gpu", "cpu", "safe", NULL };
MunitParameterEnum test_problems[] = { { "problem", names }, { "target", targets }, { NULL, NULL } };
