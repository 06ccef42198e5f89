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

// y[i] = x[index[i]], rows of D floats; index GATHER_NONE gives zeros.
#define GATHER_NONE 0xffffffffu
#define GATHER_ROWS 8 // that a worker copies
struct gather_args {
    ptr y;     // (count, D)
    ptr x;     // (R, D)
    ptr index; // (count) uint
    uint count;
};
ARGS(gather);

// dx[index[i]] += dy[i]. Equal entries of index lie within the same run of `run` entries; the first of them adds all.
struct gather_back_args {
    ptr dx, dy, index;
    uint count, run;
};
ARGS(gather_back);

// mean[s] = sum of x over the rows of segment s / their number, (S, D); 0 for no rows.
struct mean_args {
    ptr mean, x, first, rows;
    uint S, N;
};
ARGS(mean);

// dx[r] += dmean[s] / rows of s
struct mean_back_args {
    ptr dx, dmean, first, rows;
    uint S, N;
};
ARGS(mean_back);

// Normalisation: z = x + residual, hat = (z - mean) / sqrt(variance + NORM_EPSILON), y = gain hat + bias, with mean and
// variance over the rows of a segment, over the segments of a group, or given: stats (entries, 2, D).
#define NORM_EPSILON 1e-5f
#define NORM_OWN     0 // statistics of each segment, written
#define NORM_ENTRY   1 // statistics given: entry index[s], without index s / per
#define NORM_MOMENTS 2 // only the statistics of each segment
struct norm_args {
    ptr y, hat, stats, x, residual, gain, bias, first, rows, index;
    uint S, N, per;
};
ARGS(norm);

// The groups' statistics (G, 2, D) from those of their segments `part` (S, 2, D); a group is S / G segments.
struct norm_group_args {
    ptr stats, part, rows;
    uint S, N, per;
};
ARGS(norm_group);

// dz = k1 dy + k2 + k3 hat. With A = sum dy, B = sum dy hat over the n rows that share statistics and k1 = gain inv:
// k2 = (dmean - k1 A) / n, k3 = (2 dvariance / inv - k1 B) / n; 0 where statistics are given.
#define NORM_BACK_OWN   0 // sums of each segment
#define NORM_BACK_ENTRY 1 // statistics given; with `own` writes each segment's dstats
#define NORM_BACK_SUMS  2 // only the sums
#define NORM_BACK_COEF  3 // k1, k2, k3 from coef
struct norm_back_args {
    ptr dz;    // (R, D)
    ptr parts; // (blocks, 2, D): A and B over the segments of a block
    ptr own;   // (S, 2, D) or none
    ptr dy, hat, stats;
    ptr dstats; // gradient of the statistics that were written, or none
    ptr coef;   // (entries, 3, D)
    ptr gain, first, rows, index;
    uint S, N;
    uint per;    // segments of a group
    uint block;  // segments of a block, which lies within a group
    uint blocks; // of a group
};
ARGS(norm_back);

// dgain += sum B, dbias += sum A over all parts (G, blocks, 2, D); coef (G, 3, D), or none, from the sums of each group.
struct norm_fold_args {
    ptr dgain, dbias, coef, parts, stats, dstats, gain, rows;
    uint G, blocks, N, per;
};
ARGS(norm_fold);

// The same over the channels of each row: stats (R, 2). A task is NORM_LAYER_ROWS rows of a segment.
#define NORM_LAYER_ROWS 16
struct norm_layer_args {
    ptr y, hat, stats, x, residual, gain, bias, first, rows;
    uint S, N;
};
ARGS(norm_layer);

struct norm_layer_back_args {
    ptr dz;
    ptr parts; // (blocks, 2, D)
    ptr dy, hat, stats, gain, first, rows;
    uint S, N;
    uint block; // tasks of a block
};
ARGS(norm_layer_back);

// tracked (2, D) = (1 - momentum) tracked + momentum (mean, unbiased variance) of group `group`
struct norm_track_args {
    ptr tracked, stats, rows;
    uint N, per, group;
    float momentum;
};
ARGS(norm_track);

// The four words of util/rng.h at steps 0, 1, 2, ...
struct rng_args {
    ptr to; // (count, 4) uint
    ptr seed;
    uint purpose, instance, decoder, count;
};
ARGS(rng);

#endif
