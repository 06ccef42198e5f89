// The embedding glimpse: the top layer once more, with only the nodes that still matter, for every trajectory.
//     mix = softmax over kept keys(S) V,  h = Block(mix, h_old)
#ifndef MODEL_GLIMPSE_H
#define MODEL_GLIMPSE_H

#include "model/cache.h"
#include "model/encoder.h"

struct glimpse {
    const struct encoder *encoder;
    const struct rules *rules;
    struct tensor everyone; // (T, W): every node of the instance; reference dialect: all rows are embedded anew
    struct tensor kept;     // (T, W): the nodes that have rows
    struct compact list;    // their rows
    struct tensor occasion; // (T) uint: twice the number of the tracked statistics, MODEL_BATCH only
    struct tensor mix;      // (T N, D)
    struct block block;
    struct cache cache;
};

void glimpse_layout(
    struct glimpse *glimpse, struct arena *arena, const struct encoder *encoder, const struct rules *rules, bool keep);
void glimpse_forward(struct cmd *c, const struct glimpse *glimpse);

// The word that glimpse->occasion holds for the OCCASIONth glimpse, from 0; the last that was tracked serves beyond it.
uint32_t glimpse_occasion(const struct glimpse *glimpse, uint32_t occasion);

#endif
