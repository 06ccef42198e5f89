// Describes instances and solutions in words, for `--format text` and the captions of plots.
#ifndef PROBLEM_DESCRIBE_H
#define PROBLEM_DESCRIBE_H

#include "problem/problem.h"
#include "util/text.h"

// Lists the required keys of a problem's instances, and the optional ones in brackets: "depot, nodes, prize, penalty
// [min_prize=1]".
void describe_keys(struct text *text, const struct problem *problem);

// Adds "CVRP depot-north".
void describe_instance(struct text *text, const struct instance *instance);

// Adds "length 375.28 (375 in EUC_2D), 4 routes", with parts joined by SEPARATOR.
void describe_objective(struct text *text, const struct instance *instance, const struct solution *solution,
    const struct verdict *verdict, const char *separator);

// Adds "5 stops, load 5600 of 6000, length 91.2".
void describe_route(struct text *text, const struct instance *instance, const struct route *route);

// Adds "demand 17" or "prize 0.4" of customer I (0..n-1); nothing for problems without such a column.
void describe_weight(struct text *text, const struct instance *instance, uint32_t i);

// Adds a paragraph with a line for every route.
void describe_solution(
    struct text *text, const struct instance *instance, const struct solution *solution, const struct verdict *verdict);

#endif
