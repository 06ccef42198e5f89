// Generates random instances with the paper's distributions. A device can draw the same numbers.
//
// Every number comes from rng_draw (util/rng.h) at
//
//   purpose       instance  decoder  step          numbers used
//   DRAW_SHAPE    index     0        0             [0] customers, [1] capacity, [2] length limit, [3] kind of prizes
//   DRAW_SHAPE    index     0        1             [0] layout, [1] cluster seeds
//   DRAW_DEPOT    index     0        0             [0] x, [1] y
//   DRAW_NODE     index     0        customer 0..  [0] x, [1] y, [2] demand, prize or penalty, [3] expected prize
//   DRAW_REAL     index     0        customer 0..  [0] real prize
//   DRAW_CLUSTER  index     try 0..  customer 0..  [0] cluster seed, [1] distance, [2] direction
//
// and is mapped to a value by one of two exact operations and at most one rounding:
//
//   unit(r)      = (r >> 8) * 2^-24                              single precision, exact
//   pick(r, k)   = high 32 bits of r * k                         a whole number below k
//
//   customers n  = n_min + pick([0], n_max - n_min + 1)
//   capacity Q   = capacity_min + pick([1], capacity_max - capacity_min + 1), or generate_capacity(n)
//   length limit = length_min + unit([2]) * (length_max - length_min), or generate_length(n)
//   mixed prizes = the kind pick([3], 3) of enum prize_kind
//   x, y         = unit([0]), unit([1])
//   demand       = 1 + pick([2], 9)
//   prize, const = 1
//          unif  = (1 + pick([2], 100)) * 0.01f                  one rounding
//          dist  = (1 + floor(99 * (d / max d))) * 0.01f         d: distance to the depot; see below
//   penalty      = unit([2]) * (float)generate_penalty(n)        one rounding
//   (expected) prize = unit([3]) * (float)generate_prize(n)      one rounding
//   real prize   = unit(DRAW_REAL [0]) * (2 * expected prize)    one rounding
//
// All operations are in single precision, in the order written. Devices get the limits that depend on n as a table.
// Only `dist` has a square root and a division, which devices may round differently: a prize may differ by one step.
//
// Clusters are those of CVRPLIB's set X: 3 + pick([1], 6) customers, the seeds, lie anywhere and attract the others;
// the density at a point is proportional to the sum over the seeds of exp(-distance / 0.04). So a customer chooses a
// seed, a distance with density d exp(-d / 0.04) and a direction, and all three again while that leads out of the
// square:
//
//   x, y         = seed's + generate_radius(pick([1], 1024)) * generate_direction(pick([2], 1024))
//
// Distances and directions are tables, so that devices need no logarithm. Of a clustered layout all customers are
// clustered, the first ones being the seeds; of a mixed one none, all, or the first half, by pick([0], 3).
#ifndef PROBLEM_GENERATE_H
#define PROBLEM_GENERATE_H

#include "problem/problem.h"
#include "shaders/args.h" // DRAW_...

#define GENERATE_N_MAX      100000
#define GENERATE_LENGTH_MAX 1000000

// The published values, and their extension to other sizes:
// - capacity 20, 30, 40, 50 for n = 10, 20, 50, 100; linear in n between them, rounded to the nearest integer; constant
// outside.
// - length limit 2, 3, 4 for n = 20, 50, 100; linear in sqrt(n) between them, proportional to it outside, like the
// length of good tours.
// - penalties up to 3 limits / n and expected prizes up to 4 / n, for every n.
int64_t generate_capacity(uint32_t n);
double generate_length(uint32_t n);
double generate_penalty(uint32_t n);
double generate_prize(uint32_t n);

// Entry I of the tables of distances and of directions around a cluster seed.
float generate_radius(uint32_t i);
struct point generate_direction(uint32_t i); // single precision

// Refuses options that the problem's distribution does not have, and distributions without feasible instances.
bool generate_check(const struct problem *problem, const struct distribution *distribution);

// Finds the smallest and largest capacity of a distribution's instances.
void generate_capacities(const struct distribution *distribution, int64_t *from, int64_t *to);
void generate_lengths(const struct distribution *distribution, double *from, double *to);

// Returns the max decisions of a trajectory through any instance of the distribution.
uint32_t generate_longest(const struct problem *problem, const struct distribution *distribution);

// Returns the distribution that a model has seen after training on EARLIER (n_max 0: unknown) and then on LATER: the
// ranges of sizes and capacities that contain both, and the prizes of LATER.
struct distribution generate_join(
    const struct problem *problem, const struct distribution *earlier, const struct distribution *later);

// The parts of the problems' generators. generate_nodes comes first: it initialises the instance.
void generate_nodes(struct instance *instance, const struct problem *problem, const struct distribution *distribution,
    uint64_t seed, uint32_t index);
void generate_demands(
    struct instance *instance, const struct distribution *distribution, uint64_t seed, uint32_t index);
void generate_prizes(struct instance *instance, enum prize_kind kind, uint64_t seed, uint32_t index);
void generate_limit(struct instance *instance, const struct distribution *distribution, uint64_t seed, uint32_t index);
void generate_penalties(struct instance *instance, uint64_t seed, uint32_t index); // and expected prizes
void generate_real_prizes(struct instance *instance, uint64_t seed, uint32_t index);

#endif
