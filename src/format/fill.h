// An instance from any source of numbers: what readers of arrays share.
#ifndef FORMAT_FILL_H
#define FORMAT_FILL_H

#include "problem/problem.h"

struct number_source {
    const void *user;
    bool (*has)(const void *user, const char *key);
    // Number I under the key: of a column the customer's, of "nodes" x and y of each in turn, of "depot" both, else 0.
    // Refuses what is not a number.
    bool (*get)(const void *user, const char *key, uint64_t i, double *number);
};

// Fills and checks an instance of N customers; on failure it is finished, and the sentence has the pointer.
bool instance_fill(
    struct instance *instance, const struct problem *problem, uint32_t n, const struct number_source *source);

#endif
