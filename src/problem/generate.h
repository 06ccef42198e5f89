// Random instances: the paper's distributions, drawn so that a device can draw the same numbers.
//
// Every number comes from rng_draw (util/rng.h) at decoder = 0 and
//
//   purpose      instance  step          numbers used
//   DRAW_SHAPE   index     0             [0] customers, [1] capacity
//   DRAW_DEPOT   index     0             [0] x, [1] y
//   DRAW_NODE    index     customer 0..  [0] x, [1] y, [2] demand, prize or penalty, [3] expected prize
//   DRAW_REAL    index     customer 0..  [0] real prize
//
// and is turned into a value by one of two exact operations and at most one rounding:
//
//   unit(r)      = (r >> 8) * 2^-24                              single precision, exact
//   pick(r, k)   = high 32 bits of r * k                         a whole number below k
//
//   customers n  = n_min + pick([0], n_max - n_min + 1)
//   capacity Q   = capacity_min + pick([1], capacity_max - capacity_min + 1), or generate_capacity(n)
//   x, y         = unit([0]), unit([1])
//   demand       = 1 + pick([2], 9)
//   prize, const = 1
//          unif  = (1 + pick([2], 100)) * 0.01f                  one rounding
//          dist  = (1 + floor(99 * (d / max d))) * 0.01f         d: distance to the depot; see below
//   penalty      = unit([2]) * (float)generate_penalty(n)        one rounding
//   (expected) prize = unit([3]) * (float)generate_prize(n)      one rounding
//   real prize   = unit(DRAW_REAL [0]) * (2 * expected prize)    one rounding
//
// All in single precision, operations in the order written. A device is given the limits that depend on n as a table.
// Only `dist` has a square root and a division, which devices may round differently: a prize may be one step off.
#ifndef PROBLEM_GENERATE_H
#define PROBLEM_GENERATE_H

#include "problem/problem.h"
#include "shaders/args.h" // DRAW_...

#define GENERATE_N_MAX 100000

// The published values, and what stands for them at other sizes:
// - capacity 20, 30, 40, 50 for n = 10, 20, 50, 100; between them linear in n, to the nearest whole number; constant
//   outside.
// - length limit 2, 3, 4 for n = 20, 50, 100; between them linear in sqrt(n), outside proportional to it, as the length
//   of good tours is.
// - penalties up to 3 limits / n, expected prizes up to 4 / n, for every n.
int64_t generate_capacity(uint32_t n);
double generate_length(uint32_t n);
double generate_penalty(uint32_t n);
double generate_prize(uint32_t n);

// Refuses what the problem's distribution has no use for or could not be solved with.
bool generate_check(const struct problem *problem, const struct distribution *distribution);

// The smallest and the largest capacity of a distribution's instances.
void generate_capacities(const struct distribution *distribution, int64_t *from, int64_t *to);

// The most decisions of a trajectory through any instance.
uint32_t generate_longest(const struct problem *problem, const struct distribution *distribution);

// The sizes and capacities of both and all in between, the prizes of LATER: what a model has seen that was trained on
// EARLIER, which is empty (n_max 0) where that is not known, and then on LATER, of PROBLEM.
struct distribution generate_join(
    const struct problem *problem, const struct distribution *earlier, const struct distribution *later);

// What the problems' own generators are made of. generate_nodes comes first: it initialises the instance.
void generate_nodes(struct instance *instance, const struct problem *problem, const struct distribution *distribution,
    uint64_t seed, uint32_t index);
void generate_demands(
    struct instance *instance, const struct distribution *distribution, uint64_t seed, uint32_t index);
void generate_prizes(struct instance *instance, enum prize_kind kind, uint64_t seed, uint32_t index);
void generate_penalties(struct instance *instance, uint64_t seed, uint32_t index); // and expected prizes
void generate_real_prizes(struct instance *instance, uint64_t seed, uint32_t index);

#endif
