// Finds customers by the ids that the user gave them.
#ifndef PROBLEM_IDS_H
#define PROBLEM_IDS_H

#include "problem/problem.h"

// Customers sorted by id. The instance owns the ids and must outlive the index.
struct id_index {
    const struct instance *instance;
    uint32_t *order; // customers 0..n-1; NULL: ids are 1..n
};

void id_index_init(struct id_index *index, const struct instance *instance);
void id_index_finish(struct id_index *index);

// Returns the customer 1..n with this id, or 0. A text never equals a number: "7" is not 7.
uint32_t id_index_find(const struct id_index *index, const struct node_id *id);

// Refuses an id that two nodes share.
bool ids_check(const struct instance *instance);

#endif
