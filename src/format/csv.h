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

#include "mdam/mdam.h"
#include "problem/problem.h"

// OPTIONS have scalars that are not in the table, and may be NULL. Messages begin with the line.
bool csv_parse(const char *data, size_t size, const struct mdam_read_options *options, struct instance *instance);

#endif
