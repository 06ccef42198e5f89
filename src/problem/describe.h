// A solution in words, for people: `--format text` and the captions of pictures.
#ifndef PROBLEM_DESCRIBE_H
#define PROBLEM_DESCRIBE_H

#include "problem/problem.h"
#include "util/text.h"

// The keys that a problem's instances need and in brackets those that they may have:
// "depot, nodes, prize, penalty [min_prize=1]"
void describe_keys(struct text *text, const struct problem *problem);

// "CVRP depot-north"
void describe_instance(struct text *text, const struct instance *instance);

// "length 375.28 (375 in EUC_2D), 4 routes", parts joined by SEPARATOR.
void describe_objective(struct text *text, const struct instance *instance, const struct solution *solution,
    const struct verdict *verdict, const char *separator);

// "5 stops, load 5600 of 6000, length 91.2"
void describe_route(struct text *text, const struct instance *instance, const struct route *route);

// "demand 17", "prize 0.4": what customer I (0..n-1) weighs; nothing for problems without such a column.
void describe_weight(struct text *text, const struct instance *instance, uint32_t i);

// A paragraph with a line for every route.
void describe_solution(
    struct text *text, const struct instance *instance, const struct solution *solution, const struct verdict *verdict);

#endif
