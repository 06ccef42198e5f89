// The contract between C and GLSL, compiled by both: one argument struct per kernel, named after it. Pointers come
// first (outputs, saved values, inputs, weights), then sizes. Scalar layout. Structs of up to ARGS_BYTES are push
// constants; longer ones have ARGS_FAR, and ARGUMENTS_FAR in their shader, and are passed by address.
#ifndef SHADERS_ARGS_H
#define SHADERS_ARGS_H

#ifdef GL_core_profile
#define ptr    uvec2 // an address in device memory: shaders/lib/kernel.glsl
#define word64 uvec2 // 64 bits; directly after the pointers, where C and GLSL align it alike
#define ARGS(stem, size)
#define ARGS_FAR(stem, size)
#define ARGS_POINTERS(stem)
#else
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
typedef uint64_t ptr;
typedef uint64_t word64;
typedef uint32_t uint;
#define ARGS_UNTIL(stem, end)                                                                                          \
    static_assert(sizeof(struct stem##_args) <= ARGS_BYTES, "arguments of " #stem);                                    \
    enum { stem##_pointers = (end) / sizeof(ptr) }
#define ARGS_FAR(stem, size)                                                                                           \
    static_assert(sizeof(struct stem##_args) > ARGS_BYTES && sizeof(struct stem##_args) <= ARGS_FAR_BYTES,             \
        "arguments of " #stem);                                                                                        \
    enum { stem##_pointers = offsetof(struct stem##_args, size) / sizeof(ptr) }
#define ARGS(stem, size)    ARGS_UNTIL(stem, offsetof(struct stem##_args, size)) // the first member that is not a pointer
#define ARGS_POINTERS(stem) ARGS_UNTIL(stem, sizeof(struct stem##_args))         // pointers only
#endif

#define ARGS_BYTES     128
#define ARGS_FAR_BYTES 1024 // max size, and stride
// Mark in a pointer: none is given. Its other bits are another pointer of the kernel, because Mesa 26's CPU driver
// reads through pointers that are equal in all lanes even if no lane reaches the read.
#define PTR_NONE 1

// Purposes of random draws (util/rng.h): five for instances (src/problem/generate.h), then
#define DRAW_SHAPE   1
#define DRAW_DEPOT   2
#define DRAW_NODE    3
#define DRAW_REAL    4
#define DRAW_CLUSTER 5
#define RNG_SAMPLE   16 // choosing an action
#define RNG_WEIGHTS  17 // untrained weights
#define RNG_TEACHER  19 // decisions that a trajectory keeps before a teacher completes it
#define RNG_TRAINING 18 // seeds of a training's parts, and the size of each batch

#define DRAW_DEMAND_MAX 9 // demands are 1..9
#define DRAW_SEEDS_MIN  3 // customers that others cluster around: 3..8
#define DRAW_SEEDS_MAX  8
#define DRAW_TRIES      64   // to find a position inside the square
#define DRAW_RADII      1024 // distances from such a customer, and directions
#define DRAW_DIRECTIONS 1024

#include "args/check.h"
#include "args/constants.h"
#include "args/decoder.h"
#include "args/env.h"
#include "args/nn.h"
#include "args/search.h"

#endif
