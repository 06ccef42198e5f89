// Where gradients are added up: one number for each weight of a model. A replica has one; a sum over parts of a batch
// in a fixed order has one for each part that is not added yet.
#ifndef LEARN_SUM_H
#define LEARN_SUM_H

#include "model/model.h"

struct sum {
    const struct model *model;
    struct arena *arena;
    struct params d;    // gradients are added to it
    struct tensor flat; // the same as one list
};

bool sum_create(struct sum **sum, const struct model *model); // cleared
void sum_destroy(struct sum **sum);
bool sum_clear(struct sum *sum);

#endif
