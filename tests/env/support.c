#include "tests/env/support.h"

#include "suite.h"

MunitParameterEnum env_parameters[] = { { "problem", test_problem_names }, { "target", test_target_names },
    { NULL, NULL } };
