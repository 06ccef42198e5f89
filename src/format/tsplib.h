// Instances in the formats of the TSPLIB family: TSPLIB .tsp, CVRPLIB .vrp, OPLib .oplib.
#ifndef FORMAT_TSPLIB_H
#define FORMAT_TSPLIB_H

#include <stdbool.h>
#include <stddef.h>

struct instance;

// Fills INSTANCE from SIZE bytes of text; on failure it is left empty and the sentence begins with the line.
//
// The depot may be any node. Customers keep the file's order. Their numbers in the file become `ids` unless they are
// 1, 2, .. anyway, or 2, 3, .. behind a depot 1: the usual layout, in which CVRPLIB's solutions, too, call the node
// behind the depot 1.
bool tsplib_parse(const char *data, size_t size, struct instance *instance);

#endif
