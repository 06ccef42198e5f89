// Positions on a plane for nodes of which only distances are known, for the network and for pictures.
#ifndef PROBLEM_EMBED_H
#define PROBLEM_EMBED_H

#include "problem/problem.h"

// The positions whose distances fit the matrix (N, N) best, as classical scaling has it: the two largest eigenvalues of
// the centred squares, of the mean of both directions. Exact for the distances of points on a plane.
void embed_distances(struct point *points, const double *distances, uint32_t N);

#endif
