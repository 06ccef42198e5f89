// Shared by the tests of problems on a device.
#ifndef TESTS_ENV_SUPPORT_H
#define TESTS_ENV_SUPPORT_H

#include "device.h"

extern MunitParameterEnum env_parameters[]; // every problem in every target

#endif
