// Counter-based random numbers (Philox 4x32, ten rounds): the same on host and device, in any order.
// shaders/lib/rng.glsl is the twin of this file.
#ifndef UTIL_RNG_H
#define UTIL_RNG_H

#include <stdint.h>

// What a draw is for. Draws of different purposes never share numbers. Shared with the shaders: shaders/args.h.
struct rng {
    uint64_t seed;
    uint32_t purpose, instance, decoder; // the draw's place; `step` is the last coordinate
};

// The four 32-bit numbers at (seed; purpose, instance, decoder, step).
void rng_draw(const struct rng *rng, uint32_t step, uint32_t number[4]);

// Uniform in [0, 1) with 24 bits, exact in single precision.
float rng_unit(uint32_t number);

#endif
