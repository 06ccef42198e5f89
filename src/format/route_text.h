// Reads and writes solutions in text formats: CVRPLIB .sol ("Route #1: 3 1 ..") and TSPLIB .tour (TOUR_SECTION; OPLib's
// NODE_SEQUENCE_SECTION is also read). They refer to nodes by number:
// - .sol: the customer's id if all ids are numbers; else customers count from 1.
// - .tour: ids if all of them and the depot's are numbers; else the depot is 1 and customers count from 2, or from 1
// without a depot. The depot precedes every route.
#ifndef FORMAT_ROUTE_TEXT_H
#define FORMAT_ROUTE_TEXT_H

#include "problem/problem.h"
#include "util/text.h"

void sol_write(
    struct text *text, const struct instance *instance, const struct solution *solution, const struct verdict *verdict);
void tour_write(
    struct text *text, const struct instance *instance, const struct solution *solution, const struct verdict *verdict);

// Messages begin with the line. The judge compares the objective that a .sol states, and decides about the amounts of
// split deliveries.
bool sol_parse(const char *data, size_t size, const struct instance *instance, struct solution *solution);
bool tour_parse(const char *data, size_t size, const struct instance *instance, struct solution *solution);

#endif
