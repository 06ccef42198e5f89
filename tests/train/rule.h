// A simple rule, as a yardstick for trained models.
#ifndef TESTS_TRAIN_RULE_H
#define TESTS_TRAIN_RULE_H

#include "problem/problem.h"

// Goes to the nearest customer that can be served (problems with a length limit: to the highest prize per length), back
// to the depot when there is none; with prizes to be collected, as soon as there are enough. The cost, minimised.
double rule_cost(const struct instance *instance);

#endif
