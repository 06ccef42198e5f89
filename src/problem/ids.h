// Finding customers by the labels a user gave them.
#ifndef PROBLEM_IDS_H
#define PROBLEM_IDS_H

#include "problem/problem.h"

// Customers sorted by label; the instance owns the labels and must stay.
struct id_index {
    const struct instance *instance;
    uint32_t *order; // customers 0..n-1; NULL: labels are 1..n
};

void id_index_init(struct id_index *index, const struct instance *instance);
void id_index_finish(struct id_index *index);

// The customer 1..n with this label, or 0. Texts and numbers never equal each other: "7" is not 7.
uint32_t id_index_find(const struct id_index *index, const struct node_id *id);

// Refuses a label that two nodes share.
bool ids_check(const struct instance *instance);

#endif
