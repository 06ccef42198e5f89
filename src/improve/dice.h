// Random numbers of one chain: those of util/rng.h at (seed; RNG_IMPROVE, chain, step), in order.
#ifndef IMPROVE_DICE_H
#define IMPROVE_DICE_H

#include "util/rng.h"

#define RNG_IMPROVE 32 // above the purposes that shaders share

struct dice {
    struct rng rng; // decoder: how often step has wrapped around
    uint32_t step;
    uint32_t number[4];
    unsigned left;
};

static inline struct dice dice_make(uint64_t seed, uint32_t chain)
{
    return (struct dice){ .rng = { seed, RNG_IMPROVE, chain, 0 } };
}

static inline uint32_t dice_draw(struct dice *dice)
{
    if (!dice->left) {
        rng_draw(&dice->rng, dice->step, dice->number);
        dice->rng.decoder += ++dice->step == 0;
        dice->left = 4;
    }
    return dice->number[--dice->left];
}

static inline uint32_t dice_below(struct dice *dice, uint32_t count)
{
    return (uint32_t)(((uint64_t)dice_draw(dice) * count) >> 32);
}

static inline double dice_unit(struct dice *dice) // in (0, 1)
{
    return ((double)dice_draw(dice) + 0.5) * 0x1p-32;
}

#endif
