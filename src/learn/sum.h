// Where gradients are added up: one number for each weight of a model. A batch in parts has a gradient for each part;
// they are added in a fixed tree over all parts, whichever ranks compute them, so that the bytes of the total depend on
// the number of parts alone.
#ifndef LEARN_SUM_H
#define LEARN_SUM_H

#include "model/model.h"

struct sum {
    const struct model *model;
    struct arena *arena;
    struct params d;    // gradients are added to it
    struct tensor flat; // the same as one list
    // Of a batch in several parts:
    uint32_t parts; // of all ranks
    struct arena *divided;
    struct tensor *own;   // stb_ds array: the gradient of each of this rank's parts
    struct cmd **store;   // stb_ds array: `flat` to each of them
    struct cmd *add;      // them, where that is a branch of the tree
    struct cmd *publish;  // the first of them, by now the total, to `flat`
    uint32_t travel;      // gradients that this rank sends: one, or one for each part
    uint32_t piece;       // floats of a gradient that one rank adds up for all
    struct tensor pieces; // (ranks travel, piece)
    struct cmd *add_pieces;
    float *tracked, *before; // (parts, S), (S): tracked statistics after each part, and before the first
};

bool sum_create(struct sum **sum, const struct model *model); // cleared
void sum_destroy(struct sum **sum);
bool sum_clear(struct sum *sum);

// Batches are in so many parts from now on, which the ranks share evenly. Call once.
bool sum_divide(struct sum *sum, uint32_t parts);
// Around the parts of a batch, in this order: sum_begin; gradients, and sum_part with this rank's first part, from 0;
// gradients, and sum_part with the next; ... sum_total, which all ranks call. Then the total is where gradients are
// added, on every rank. Every part starts with the tracked statistics of the beginning, and their mean over the parts
// is what they become. Nothing happens while batches have one part.
bool sum_begin(struct sum *sum);
bool sum_part(struct sum *sum, uint32_t part);
bool sum_total(struct sum *sum);

#endif
