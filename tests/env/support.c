#include "tests/env/support.h"

static char *names[] = { "tsp", "cvrp", "sdvrp", "op", "pctsp", "spctsp", NULL };
static char *flavours[] = { "wide", "address", "heap", NULL };
MunitParameterEnum test_problems[] = { { "problem", names }, { "flavour", flavours }, { NULL, NULL } };
