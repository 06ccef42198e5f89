// The contract between C and GLSL, compiled by both: one argument struct for each kernel, named after it. Pointers come
// first (outputs, saved values, inputs, weights), then sizes. Scalar layout, at most ARGS_BYTES, in push constants.
#ifndef SHADERS_ARGS_H
#define SHADERS_ARGS_H

#ifdef GL_core_profile
#define ptr uvec2 // a place in device memory: shaders/lib/kernel.glsl
#define ARGS(stem)
#else
#include <assert.h>
#include <stdint.h>
typedef uint64_t ptr;
typedef uint32_t uint;
#define ARGS(stem) static_assert(sizeof(struct stem##_args) <= ARGS_BYTES, "arguments of " #stem)
#endif

#define ARGS_BYTES 128

// What random draws are for (util/rng.h).
#define RNG_SAMPLE 1 // choosing an action

// to[i] = from[i]: the yardstick of bandwidth-bound kernels.
struct copy_args {
    ptr to, from;
    uint count; // floats
};
ARGS(copy);

// The four words of util/rng.h at steps 0, 1, 2, ...
struct rng_args {
    ptr to; // (count, 4) uint
    ptr seed;
    uint purpose, instance, decoder, count;
};
ARGS(rng);

#endif
