// Counter-based random numbers (Philox 4x32, ten rounds), equal on host and device and independent of the order of
// draws. shaders/lib/rng.glsl is the same generator.
#ifndef UTIL_RNG_H
#define UTIL_RNG_H

#include <stdint.h>

// A draw is identified by purpose, instance, decoder and step. Purposes are listed in shaders/args.h, so draws of
// different purposes never share numbers.
struct rng {
    uint64_t seed;
    uint32_t purpose, instance, decoder; // coordinates of the draw; `step` is the last one
};

// Draws the four 32-bit numbers at (seed; purpose, instance, decoder, step).
void rng_draw(const struct rng *rng, uint32_t step, uint32_t number[4]);

// Uniform in [0, 1) with 24 bits, exact in single precision.
float rng_unit(uint32_t number);

#endif
