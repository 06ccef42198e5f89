// The sum of gradients: one number per weight of a model. A batch in parts has a gradient per part; these are added in
// a fixed tree over all parts, whichever ranks compute them, so the bytes of the total depend only on the number of
// parts.
#ifndef LEARN_SUM_H
#define LEARN_SUM_H

#include "model/model.h"

struct sum {
    const struct model *model;
    struct arena *arena;
    struct params d;    // gradients are added here
    struct tensor flat; // the same as one list
    // For batches in several parts:
    uint32_t parts; // of all ranks
    struct arena *divided;
    struct tensor *own;   // stb_ds array: the gradient of each part of this rank
    struct cmd **store;   // stb_ds array: copies `flat` to each of them
    struct cmd *add;      // adds them if they form a branch of the tree
    struct cmd *publish;  // copies the first of them, then the total, to `flat`
    uint32_t travel;      // gradients that this rank sends: one, or one per part
    uint32_t piece;       // floats of a gradient that one rank adds for all
    struct tensor pieces; // (ranks travel, piece)
    struct cmd *add_pieces;
    float *tracked, *before; // (parts, S), (S): tracked statistics after each part, and before the first
};

bool sum_create(struct sum **sum, const struct model *model); // cleared
void sum_destroy(struct sum **sum);
bool sum_clear(struct sum *sum);

// Divides batches into PARTS, which the ranks share evenly. Call once.
bool sum_divide(struct sum *sum, uint32_t parts);
// Call order for the parts of a batch: sum_begin; gradients, then sum_part with this rank's first part, from 0;
// gradients, then sum_part with the next; ... sum_total, on all ranks. `flat` is then the total on every rank. Every
// part starts from the same tracked statistics, and their mean over the parts is the result. With one part nothing
// happens.
bool sum_begin(struct sum *sum);
bool sum_part(struct sum *sum, uint32_t part);
bool sum_total(struct sum *sum);

#endif
