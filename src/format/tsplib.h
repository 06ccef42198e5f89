// Reads instances in the formats of the TSPLIB family: TSPLIB .tsp, CVRPLIB .vrp, OPLib .oplib.
#ifndef FORMAT_TSPLIB_H
#define FORMAT_TSPLIB_H

#include <stdbool.h>
#include <stddef.h>

struct instance;

// Fills INSTANCE from SIZE bytes of text; on failure it is empty and the message begins with the line.
//
// Any node may be the depot. Customers have the file's order. Their numbers in the file become `ids`, unless these are
// 1, 2, .., or 2, 3, .. after a depot 1: the usual layout, in which CVRPLIB's solutions also count customers from 1.
bool tsplib_parse(const char *data, size_t size, struct instance *instance);

#endif
