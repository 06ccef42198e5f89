// Instances from tables: a header with the names of the columns, then a row for each node, the depot first where the
// problem has one.
//
//     id,lon,lat,demand,capacity,vehicles
//     depot,4.945,45.696,,30,3
//     Bron,4.912,45.738,5
//
// Columns are id, x and y or lon and lat, the problem's own, and in the first row its scalars. Commas, semicolons or
// tabs separate fields, whichever the header has.
#ifndef FORMAT_CSV_H
#define FORMAT_CSV_H

#include "problem/problem.h"

// PROBLEM may be NULL: the header's columns decide. Messages begin with the line.
bool csv_parse(const char *data, size_t size, const struct problem *problem, struct instance *instance);

#endif
